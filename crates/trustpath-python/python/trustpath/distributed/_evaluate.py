"""Episodes in chunks over workers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Optional, Union

import numpy as np

from .. import _functions, _inputs, _trustpath
from . import _ray

Progress = Union[bool, Callable[[int, int], None]]


class _Worker:
    """Holds the features (a view of the machine's object store), and runs chunks of episodes on them."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.table: Any = None

    def run(self, table: list[Any], options: dict[str, Any], start: int, count: int) -> list[list[float]]:
        if self.table is None:
            import ray

            self.table = ray.get(table[0])
        X, codes, names = self.table
        return _trustpath.evaluate(X, codes, names, {**options, "n_jobs": self.threads}, start, count)


def _tell(done: int, total: int) -> None:
    end = "\n" if done == total else ""
    print(f"\r{done} of {total} episodes", end=end, file=sys.stderr, flush=True)


def evaluate(
    features: Any,
    labels: Any,
    *,
    method: str = "icir",
    episodes: int = 600,
    workers: Optional[int] = None,
    threads: int = 1,
    chunk: Optional[int] = None,
    retries: int = 10,
    progress: Progress = False,
    **options: Any,
) -> dict[str, Any]:
    """:func:`trustpath.evaluate` on a Ray cluster, with bit-for-bit the same result.

    Episodes go in chunks to actors; the features are put into the object store once, and every actor reads them there
    without a copy. A chunk whose worker dies is run again by the one that replaces it.

    Parameters
    ----------
    features, labels, method, episodes, **options
        As of :func:`trustpath.evaluate`, which lists the other options.
    workers : int, default=None
        Number of actors; None for as many as the cluster has cores for.
    threads : int, default=1
        Threads per actor, and cores that Ray reserves for it.
    chunk : int, default=None
        Episodes per chunk; None for an eighth of a worker's share.
    retries : int, default=10
        How often a worker may die.
    progress : bool or callable, default=False
        True to print how many episodes are done, or a function that takes that number and the total.

    Returns
    -------
    dict
        As of :func:`trustpath.evaluate`.
    """
    X, encoded = _inputs.pool(features, labels, all_labelled=True)
    options["method"] = method
    total = _inputs.count("episodes", episodes, 1)
    threads, retries = _inputs.count("threads", threads, 1), _inputs.count("retries", retries)
    names = encoded.names()
    # Errors in the task or the method are raised before any worker starts.
    _trustpath.evaluate(X, encoded.codes, names, {**options, "n_jobs": 1}, 0, 0)
    tell = (_tell if progress else None) if isinstance(progress, bool) else progress

    ray = _ray.connect()
    count = _ray.workers(ray, workers, threads, total)
    size = max(1, total // (8 * count)) if chunk is None else _inputs.count("chunk", chunk, 1)
    table = ray.put((X, np.asarray(encoded.codes), names))
    remote = ray.remote(_Worker).options(
        num_cpus=_ray.share(ray, count, threads), max_restarts=retries, max_task_retries=retries
    )
    actors = [remote.remote(threads) for _ in range(count)]
    starts = iter(range(0, total, size))
    found: dict[int, list[list[float]]] = {}
    running: dict[Any, tuple[Any, int]] = {}
    done = 0

    def next_chunk(actor: Any) -> None:
        start = next(starts, None)
        if start is not None:
            running[actor.run.remote([table], options, start, min(size, total - start))] = (actor, start)

    try:
        # Two chunks each, so that no worker waits for the driver.
        for _ in range(2):
            for actor in actors:
                next_chunk(actor)
        while running:
            ready, _ = ray.wait(list(running), num_returns=1)
            actor, start = running.pop(ready[0])
            found[start] = ray.get(ready[0])
            done += len(found[start])
            next_chunk(actor)
            if tell is not None:
                tell(done, total)
    except ray.exceptions.RayActorError as error:
        raise _ray.gone(error, retries) from error
    finally:
        for actor in actors:
            ray.kill(actor)
    accuracies = [scores for start in sorted(found) for scores in found[start]]
    return _functions.summarise(accuracies, method)
