"""Episodes in chunks over workers."""

from collections.abc import Callable
from typing import Any, Optional

from .. import _functions, _inputs, _trustpath
from . import _ray


def _episodes(table: tuple[Any, Any, Any], options: dict[str, Any], start: int, count: int) -> list[list[float]]:
    return _trustpath.evaluate(*table, options, start, count)


def evaluate(
    features: Any, labels: Any, *, method: str = "icir", episodes: int = 600, threads: int = 1, chunk: Optional[int] = None,
    retries: int = 10, progress: Optional[Callable[[int, int], Any]] = None, **options: Any,
) -> dict[str, Any]:
    """:func:`trustpath.evaluate` on a Ray cluster, with bit-for-bit the same result.

    The features are put into the object store once. Chunks of ``chunk`` episodes (None for an eighth of what one of as many workers as the
    cluster has room for would run) are tasks on ``threads`` cores, each of which may lose its worker ``retries`` times. ``progress`` (such as
    ``print``) is called with the number of episodes that are done, and the total. Other arguments and the result are as there.
    """
    X, encoded = _inputs.pool(features, labels, all_labelled=True)
    total, threads = _inputs.count("episodes", episodes, 1), _inputs.count("threads", threads, 1)
    options.update(method=method, n_jobs=threads)
    table = (X, encoded.codes, encoded.names())
    # Errors in the task or the method are raised before any worker starts.
    _episodes(table, options, 0, 0)
    ray = _ray.connect()
    room = max(1, int(ray.cluster_resources().get("CPU", 1)) // threads)
    size = max(1, total // (8 * room)) if chunk is None else _inputs.count("chunk", chunk, 1)
    retries = _inputs.count("retries", retries)
    task = ray.remote(_episodes).options(num_cpus=_ray.share(ray, 1, threads), max_retries=retries)
    stored, found = ray.put(table), {}
    tasks = {task.remote(stored, options, start, min(size, total - start)): start for start in range(0, total, size)}
    waiting = list(tasks)
    while waiting:
        ready, waiting = ray.wait(waiting)
        found[tasks[ready[0]]] = _ray.get(ray, ready[0], retries)
        if progress is not None:
            progress(sum(map(len, found.values())), total)
    return _functions.summarise([scores for start in sorted(found) for scores in found[start]], method)
