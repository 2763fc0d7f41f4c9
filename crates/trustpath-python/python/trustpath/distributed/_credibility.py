"""The path of rows on several machines.

The driver runs the solver (in Rust) and asks for sums; a worker has one block of the rows (a ``Part``, in Rust) and answers.
Questions are answered from the block alone, but for a few that change what a worker knows: its classes, the projection of
its coordinates, and which instances have left zero. These are numbered and kept. A worker that is behind, because it died
and was restarted, receives all of them again before it answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from .. import _inputs, _trustpath
from . import _blocks, _ray

#: Questions after which a worker knows more than before.
CHANGES = frozenset({"load", "classes", "project", "cross", "settle"})
#: Questions that a worker answers itself, and not its part.
OWN = frozenset({"load", "classes", "store"})

Block = _blocks.Block
Sink = Callable[[int, dict[str, NDArray[Any]]], None]


class _Behind(NamedTuple):
    """An answer of a worker that knows too little: how many changes it knows of."""

    known: int


class _Worker:
    """One block of the rows, and the changes made to it."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.known = 0
        self.last: Any = None
        self.part: Optional[_trustpath.Part] = None

    def load(self, block: list[Block]) -> tuple[int, int, NDArray[Any]]:
        """Takes a block; returns the number of its rows and coordinates, and the labels that occur."""
        self.X, self.y, _ = _blocks.load(block[0])
        return (*self.X.shape, np.unique(self.y))

    def classes(self, classes: NDArray[Any]) -> None:
        """Makes the part, with labels as indices of the classes."""
        codes = np.searchsorted(classes, self.y).astype(np.int64)
        self.part = _trustpath.Part(self.X, codes, len(classes), self.threads)
        del self.X, self.y

    def store(self, last: float, block: int, sink: Sink) -> int:
        """Hands the results of the rows to the sink."""
        assert self.part is not None
        found = self.part.vanished(last)
        sink(block, found)
        return len(found["vanish"])

    def apply(self, method: str, arguments: tuple[Any, ...]) -> Any:
        return getattr(self if method in OWN else self.part, method)(*arguments)

    def catch_up(self, changes: Sequence[tuple[str, tuple[Any, ...]]]) -> None:
        """Makes all changes that it has not made yet."""
        for method, arguments in changes[self.known :]:
            self.last = self.apply(method, arguments)
            self.known += 1

    def answer(self, known: int, method: str, arguments: tuple[Any, ...]) -> Any:
        """Answers a question for a worker that has made ``known`` changes."""
        if method in CHANGES and self.known == known + 1:
            # Asked again, because the answer was lost on its way.
            return self.last
        if self.known != known:
            return _Behind(self.known)
        answer = self.apply(method, arguments)
        if method in CHANGES:
            self.known, self.last = known + 1, answer
        return answer


class _Blocks:
    """All workers, asked together or one by one."""

    def __init__(self, ray: Any, count: int, threads: int, retries: int) -> None:
        self.ray = ray
        self.retries = retries
        self.changes: list[list[tuple[str, tuple[Any, ...]]]] = [[] for _ in range(count)]
        self.questions = 0
        remote = ray.remote(_Worker).options(
            num_cpus=_ray.share(ray, count, threads), max_restarts=retries, max_task_retries=retries
        )
        self.actors = [remote.remote(threads) for _ in range(count)]

    def get(self, answers: Any) -> Any:
        return _ray.get(self.ray, answers, self.retries)

    def ask(self, block: Optional[int], method: str, arguments: tuple[Any, ...]) -> Any:
        """The answers of all blocks in order, or that of one."""
        asked = range(len(self.actors)) if block is None else [block]
        answers = self.ask_each({k: (method, arguments) for k in asked})
        return answers if block is None else answers[0]

    def ask_each(self, questions: dict[int, tuple[str, tuple[Any, ...]]]) -> list[Any]:
        """The answers of blocks that are asked at the same time."""
        self.questions += 1
        known = {k: len(self.changes[k]) for k in questions}
        futures = [self.actors[k].answer.remote(known[k], *question) for k, question in questions.items()]
        answers: list[Any] = self.get(futures)
        for at, (k, question) in enumerate(questions.items()):
            while isinstance(answers[at], _Behind):
                self.get(self.actors[k].catch_up.remote(self.changes[k]))
                answers[at] = self.get(self.actors[k].answer.remote(known[k], *question))
            if question[0] in CHANGES:
                self.changes[k].append(question)
        return answers

    def end(self) -> None:
        for actor in self.actors:
            self.ray.kill(actor)


def credibility(
    blocks: Sequence[Block],
    *,
    penalty: Optional[str] = None,
    points: int = 100,
    ratio: float = 1e-3,
    tolerance: Optional[float] = None,
    roots: str = "exact",
    threads: int = 1,
    retries: int = 10,
    sink: Optional[Sink] = None,
) -> dict[str, Any]:
    """:func:`trustpath.credibility` for blocks of rows that no single machine holds.

    Not an approximation by blocks: it is the path of all rows together, equal to that of one machine to 1e-8, whatever
    the blocks. Each block lives in an actor. Per step the d × c coefficients go to all of them, and value, gradient and
    now and then the curvature come back; nothing that travels grows with the number of rows.

    Parameters
    ----------
    blocks : sequence
        The blocks of rows. Each is a pair of coordinates (rows, d) and labels; or Ray's reference to such a pair; or a
        function that returns one, or the path of an .npz file with ``X`` and ``y``, which is called or read by the
        worker itself (and again by the one that replaces it, should it die): for data that no machine holds. Parquet files,
        folders and object stores are read as by :func:`label`.
    penalty, points, ratio, tolerance, roots
        As of :func:`trustpath.credibility`, for ``model='icir'``.
    threads : int, default=1
        Threads per actor, and cores that Ray reserves for it.
    retries : int, default=10
        How often a worker may die.
    sink : callable, default=None
        Called by every worker with the number of its block and the dict of its rows' results, to store them where they
        are. Without one, all results are returned here.

    Returns
    -------
    dict
        ``lambda``, the grid; ``classes``; ``rows``, the sizes of the blocks; ``questions``, how often all or one of the
        workers were asked. Without a sink also ``credibility``, ``vanish``, ``vanish_grid`` and ``reenters`` of all rows
        in the order of the blocks.

    Notes
    -----
    Blocks that are given as arrays go into Ray's object store. If the machine whose store has a block dies, Ray cannot
    bring it back: give functions or paths where machines may be lost, and not only processes.
    """
    options = {"penalty": penalty, "points": points, "ratio": ratio, "tolerance": tolerance, "roots": roots}
    threads, retries = _inputs.count("threads", threads, 1), _inputs.count("retries", retries)
    of_blocks = _blocks.listed(blocks)
    ray = _ray.connect()
    stored = _blocks.stored(ray, of_blocks)
    of = _Blocks(ray, len(stored), threads, retries)
    try:
        shapes = of.ask_each({k: ("load", ([block],)) for k, block in enumerate(stored)})
        rows, dims = [shape[0] for shape in shapes], shapes[0][1]
        for k, shape in enumerate(shapes):
            if shape[1] != dims:
                raise ValueError(f"block {k} has {shape[1]} coordinates where block 0 has {dims}: give all the same")
        classes = _inputs.labels(np.concatenate([shape[2] for shape in shapes]), all_labelled=True).classes
        of.ask(None, "classes", (classes,))
        grid = np.array(_trustpath.walk(of.ask, rows, dims, len(classes), options))
        found = _finish(of, float(grid[-1]), sink)
    finally:
        of.end()
    out: dict[str, Any] = {"lambda": grid, "classes": classes, "rows": rows, "questions": of.questions}
    if sink is None:
        for name in found[0]:
            out[name] = np.concatenate([part[name] for part in found])
    return out


def _finish(of: _Blocks, last: float, sink: Optional[Sink]) -> list[Any]:
    """Collects the results of every worker, or has them stored."""
    if sink is None:
        answers: list[Any] = of.ask(None, "vanished", (last,))
        return answers
    return of.ask_each({k: ("store", (last, k, sink)) for k in range(len(of.actors))})
