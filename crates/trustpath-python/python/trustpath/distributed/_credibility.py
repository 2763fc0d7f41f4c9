"""The path of rows on several machines: the driver runs the solver (in Rust), and workers answer its questions about their rows."""

from collections.abc import Sequence
from typing import Any, Optional

import numpy as np

from .. import _inputs, _trustpath
from . import _ray

#: Questions after which a worker knows more than before. One that replaces a lost worker is asked all of them again.
CHANGES = frozenset({"load", "classes", "project", "cross", "settle"})


class _Worker:
    """One block of the rows. What it does not answer itself, its ``Part`` answers, in Rust."""

    def __init__(self, number: int, block: Any, threads: int) -> None:
        self.number, self.block, self.threads = number, block, threads

    def load(self) -> tuple[Any, ...]:
        block = self.block() if callable(self.block) else self.block
        if not isinstance(block, (tuple, list)):
            with np.load(block) as arrays:
                block = arrays["X"], arrays["y"]
        self.X, self.y = _inputs.features(block[0]), np.asarray(block[1])
        if len(self.y) != len(self.X):
            raise ValueError(f"a block has {len(self.y)} labels for {len(self.X)} rows: give one for each")
        return (*self.X.shape, np.unique(self.y))

    def classes(self, classes: Any) -> None:
        self.part = _trustpath.Part(self.X, np.searchsorted(classes, self.y).astype(np.int64), len(classes), self.threads)
        del self.X, self.y

    def finish(self, last: float, sink: Any) -> Any:
        return sink(self.number, self.part.vanished(last))

    def answer(self, method: str, arguments: tuple[Any, ...]) -> Any:
        return getattr(self if hasattr(self, method) else self.part, method)(*arguments)


class _Workers:
    def __init__(self, ray: Any, blocks: Sequence[Any], threads: int, retries: int) -> None:
        self.ray, self.retries, self.questions, self.losses = ray, retries, 0, [0] * len(blocks)
        worker = ray.remote(_Worker).options(num_cpus=_ray.share(ray, len(blocks), threads))
        stored = [ray.put(tuple(block)) if isinstance(block, (tuple, list)) else block for block in blocks]
        self.start: Any = lambda k: worker.remote(k, stored[k], threads)
        self.actors = [self.start(k) for k in range(len(blocks))]
        self.changes: list[list[Any]] = [[] for _ in blocks]

    def ask(self, block: Optional[int], method: str, arguments: tuple[Any, ...] = ()) -> Any:
        """The answers of all workers in order, or that of one."""
        self.questions += 1
        asked = range(len(self.actors)) if block is None else [block]
        futures = [self.actors[k].answer.remote(method, arguments) for k in asked]
        answers = [self._get(k, [future], (method, arguments)) for k, future in zip(asked, futures)]
        return answers if block is None else answers[0]

    def _get(self, k: int, futures: list[Any], question: tuple[Any, ...]) -> Any:
        """The last answer of a worker, or of the one that replaces it, which is first asked all that changed the lost one."""
        try:
            answer = _ray.get(self.ray, futures, self.retries)[-1]
        except self.ray.exceptions.RayActorError as error:
            self.losses[k] += 1
            if self.losses[k] > self.retries:
                raise _ray.lost(error, self.retries) from error
            self.ray.kill(self.actors[k])
            self.actors[k] = self.start(k)
            return self._get(k, [self.actors[k].answer.remote(*of) for of in (*self.changes[k], question)], question)
        self.changes[k] += [question] if question[0] in CHANGES else []
        return answer


def credibility(blocks: Sequence[Any], *, threads: int = 1, retries: int = 10, sink: Any = None, **options: Any) -> dict[str, Any]:
    """:func:`trustpath.credibility` for blocks of rows that no single machine holds, equal to that of all rows together to 1e-8.

    A block is a pair of coordinates (rows, d) and labels; Ray's reference to one; or a function that returns one or the path of an .npz file
    with ``X`` and ``y``, which its worker reads, as does one that replaces it (up to ``retries`` times). A worker has ``threads`` threads and
    cores. ``options`` are those of :func:`trustpath.credibility` for ``model='icir'``. Returns its dict, with ``classes``, ``rows`` (the
    sizes of the blocks) and ``questions`` (how often workers were asked). With a ``sink``, each worker calls it with the number of its block
    and the dict of its results, which are not returned.
    """
    threads, retries = _inputs.count("threads", threads, 1), _inputs.count("retries", retries)
    if len(blocks) == 0:
        raise ValueError("blocks is empty: give at least one block of rows")
    workers = _Workers(_ray.connect(), blocks, threads, retries)
    try:
        rows, dims, labels = zip(*workers.ask(None, "load"))
        for k in (k for k, of_block in enumerate(dims) if of_block != dims[0]):
            raise ValueError(f"block {k} has {dims[k]} coordinates where block 0 has {dims[0]}: give all the same")
        classes = _inputs.labels(np.concatenate(labels), all_labelled=True).classes
        workers.ask(None, "classes", (classes,))
        grid = np.array(_trustpath.walk(workers.ask, list(rows), dims[0], len(classes), options))
        found = workers.ask(None, "finish", (float(grid[-1]), sink or (lambda _, results: results)))
    finally:
        for actor in workers.actors:
            workers.ray.kill(actor)
    out = {"lambda": grid, "classes": classes, "rows": list(rows), "questions": workers.questions}
    return out if sink is not None else {**out, **{name: np.concatenate([of[name] for of in found]) for name in found[0]}}
