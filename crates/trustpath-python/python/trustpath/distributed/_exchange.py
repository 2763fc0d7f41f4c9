"""What the tasks of a pool in regions know, and what they send each other."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from .. import _trustpath
from . import _blocks

#: Rows that rules are learnt from, with those that have a given label: what one machine fits to is a part of these.
LEARNT = 100_000


class Plan(NamedTuple):
    """What all tasks know."""

    columns: _blocks.Columns
    #: The first row of every block.
    first: NDArray[np.int64]
    #: Number of rows.
    n: int
    #: The code of every label; -1 where it means that there is none.
    codes: dict[Any, int]
    classes: NDArray[Any]
    #: Number of regions.
    regions: int
    #: Neighbours of a row, cells, and sweeps over neighbours of neighbours.
    neighbors: int
    cells: int
    sweeps: int
    #: Rows that say whether features have signs, whose exact neighbours are computed, that cells are placed by, and whose mean is the centre.
    samples: tuple[NDArray[np.int64], ...]
    options: dict[str, Any]
    threads: int

    def names(self) -> list[str]:
        """The names of the classes."""
        return [str(label) for label in self.classes]

    def learns(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of the rows are in the even part that rules are learnt from."""
        if self.n <= LEARNT:
            return np.ones(len(rows), dtype=bool)
        even: NDArray[np.bool_] = (rows + 1) * LEARNT // self.n > rows * LEARNT // self.n
        return even

    def inside(self, number: int, count: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of these rows that are in a block, counted from its first."""
        here = rows - self.first[number]
        inside: NDArray[np.int64] = here[(here >= 0) & (here < count)]
        return inside


class Read(NamedTuple):
    """How features are read: their mean stands in for rows of zeros."""

    mean: NDArray[np.float64]
    signed: bool
    #: Features of the rows whose exact neighbours are computed.
    sample: NDArray[Any]


class Rows(NamedTuple):
    """Projected rows on their way to a region, or there."""

    rows: NDArray[np.int64]
    y: NDArray[np.float32]
    rho: NDArray[np.float32]
    codes: NDArray[np.int64]
    cells: NDArray[np.uint32]
    ids: Optional[NDArray[Any]]


class Table(NamedTuple):
    """All cells: where each starts and its mean; and the first cell and the first position of every region, with the ends of the last."""

    start: NDArray[np.int64]
    means: NDArray[np.float32]
    cells: NDArray[np.int64]
    positions: NDArray[np.int64]
    centre: NDArray[np.float32]

    def region(self, number: int) -> Any:
        """A region among them."""
        return _trustpath.Region(self.start, self.means, int(self.cells[number]), int(self.cells[number + 1]))


def size(arrays: Any) -> int:
    """Bytes of arrays, in tuples or not."""
    if isinstance(arrays, np.ndarray):
        return arrays.nbytes
    return sum(size(array) for array in arrays if array is not None)


def several(packets: list[Any]) -> Any:
    """The results of a task, which are not in a list if there is one only."""
    return tuple(packets) if len(packets) > 1 else packets[0]
