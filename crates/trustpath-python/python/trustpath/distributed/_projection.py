"""From blocks to regions: features are projected, and every row is sent to the region that owns its cell."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from .. import _trustpath
from . import _blocks, _parts
from ._exchange import Plan, Read, Rows, Table, several, size


def _features(block: list[Any], plan: Plan, read: Optional[Read]) -> tuple[_blocks.Rows, NDArray[np.int64]]:
    """The rows of a block, and the codes of their labels."""
    X, y, ids = _blocks.load(block[0], plan.columns)
    if read is not None:
        X = directed(X, read.mean)
    return _blocks.Rows(X, y, ids), _parts.codes_of(y, plan.codes)


def directed(X: NDArray[Any], mean: NDArray[np.float64]) -> NDArray[Any]:
    """The mean of all rows in place of those that are all zeros."""
    zero = np.logical_not(X.any(axis=1))
    return np.where(zero[:, None], mean.astype(X.dtype), X) if zero.any() else X


def look(block: list[Any], number: int, plan: Plan) -> dict[str, Any]:
    """The sum of the features of a block, sampled rows, and the rows with a given label."""
    (X, _, _), codes = _features(block, plan, None)
    given = np.flatnonzero(codes >= 0)
    signs, exact = (X[plan.inside(number, len(X), rows)] for rows in plan.samples[:2])
    return {
        "dims": X.shape[1], "sum": X.sum(axis=0, dtype=np.float64), "zeros": int((~X.any(axis=1)).sum()),
        "signs": signs, "exact": exact, "given": plan.first[number] + given, "codes": codes[given],
    }


def product(block: list[Any], plan: Plan, read: Read) -> Any:
    """The part of a block in ``XᵀX``, negated."""
    (X, _, _), _ = _features(block, plan, read)
    return _trustpath.product(X, read.signed, plan.threads)


def keep(
    block: list[Any], number: int, plan: Plan, read: Read, basis: NDArray[np.float64]
) -> tuple[Any, Any, Any, Any]:
    """Projects a block: its rows; those that cells are placed by; the features of those that rules are learnt from; the nearest of the sample."""
    (X, _, ids), codes = _features(block, plan, read)
    y, rho, nearest = _trustpath.keep(
        X, int(plan.first[number]), read.signed, basis, plan.samples[1], read.sample, plan.threads
    )
    rows = plan.first[number] + np.arange(len(X), dtype=np.int64)
    placing = tuple(y[plan.inside(number, len(X), sample)] for sample in plan.samples[2:])
    part = plan.learns(rows) | (codes >= 0)
    empty = np.zeros(0, dtype=np.uint32)
    return Rows(rows, y, rho, codes, empty, ids), placing, X[part], nearest


def place(plan: Plan, *sampled: tuple[NDArray[np.float32], ...]) -> tuple[Any, Any]:
    """The centre and the means of the cells."""
    sample, centre = (np.concatenate([of[k] for of in sampled]) for k in range(2))
    found: tuple[Any, Any] = _trustpath.cell_means(plan.n, sample, centre, plan.threads)
    return found


def assign(plan: Plan, rows: Rows, means: tuple[Any, Any]) -> tuple[Any, Any]:
    """The cell of every row of a block, and how many there are in each."""
    cells = _trustpath.cells(rows.y, *means, plan.threads)
    return cells, np.bincount(cells, minlength=plan.cells)


def divide(plan: Plan, means: tuple[Any, Any], *counts: NDArray[np.int64]) -> Any:
    """The region of every cell."""
    rows = np.stack(counts).sum(axis=0)
    regions = _trustpath.cell_regions(*means, rows, plan.regions)
    if np.bincount(regions, weights=rows, minlength=plan.regions).min() == 0:
        raise ValueError(f"regions = {plan.regions} is too many: the rows lie in fewer places; give fewer regions")
    return regions


def deal(plan: Plan, rows: Rows, cells: NDArray[np.uint32], regions: NDArray[np.uint32]) -> Any:
    """The rows of a block that go to each region."""
    to = regions[cells]

    def packet(region: int) -> Rows:
        which = np.flatnonzero(to == region)
        ids = None if rows.ids is None else rows.ids[which]
        return Rows(rows.rows[which], rows.y[which], rows.rho[which], rows.codes[which], cells[which], ids)

    return several([packet(region) for region in range(plan.regions)])


def gather(plan: Plan, means: tuple[Any, Any], *packets: Rows) -> tuple[Any, Any, Any]:
    """The rows of a region in the order of its cells; the cells; what was received."""
    joined: list[NDArray[Any]] = [np.concatenate([packet[k] for packet in packets]) for k in range(5)]
    named = [packet.ids for packet in packets if packet.ids is not None]
    ids = np.concatenate(named) if len(named) == len(packets) else None
    order, start, centres = _trustpath.sort_region(plan.n, joined[1], means[0], joined[4], plan.threads)
    empty = np.zeros(0, dtype=np.uint32)
    numbers, y, rho, codes = (array[order] for array in joined[:4])
    rows = Rows(numbers, y, rho, codes, empty, None if ids is None else ids[order])
    return rows, (start, centres), size(packets)


def tabulate(means: tuple[Any, Any], *of_regions: tuple[Any, Any]) -> Table:
    """All cells."""
    starts, before, cells, positions = [np.zeros(1, dtype=np.int64)], 0, [0], [0]
    for start, _ in of_regions:
        starts.append(start[1:] + before)
        before += int(start[-1])
        cells.append(cells[-1] + len(start) - 1)
        positions.append(before)
    all_means = np.concatenate([centres for _, centres in of_regions])
    return Table(np.concatenate(starts), all_means, np.array(cells), np.array(positions), means[0])
