"""One pool on several machines: the pipeline of one machine, over rows that stay on workers.

*Blocks* are rows where they lie. Each is read three times: for the mean of the features and some sampled rows; for its part of ``XᵀX``, which gives
the projection that all use; and to be projected. *Regions* are groups of neighbouring cells of the neighbour search. Every projected row is sent to the
region that owns its cell; regions then exchange what they need of each other's rows: those of the cells around their own, with the lists of
neighbours that were found there, and twice the smoothed rows that are neighbours. The lists of all neighbours come together in one
worker, which says how far each row is from the labels. Another labels an even part of the rows, with all given labels, and leaves rules by
which every region labels its rows. Results go back to the blocks, each of which is written as one file.

Every step is a task without state, whose results are functions of its arguments, and every number is computed by the functions that
one machine uses as well (``trustpath::label::regions`` in Rust). The driver holds sums and samples whose size does not grow with the rows, or as the
number of cells does, which is four times the square root of the number of rows.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from .. import _inputs, _trustpath
from . import _blocks, _parts

#: Rows of a region, about, where the number of regions is not given.
ROWS_PER_REGION = 500_000
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


def _features(block: list[Any], plan: Plan, read: Optional[Read]) -> tuple[_blocks.Rows, NDArray[np.int64]]:
    """The rows of a block, and the codes of their labels."""
    X, y, ids = _blocks.load(block[0], plan.columns)
    if read is not None:
        X = _directed(X, read.mean)
    values, inverse = _parts._distinct(y)
    codes = np.array([plan.codes[_parts._key(value)] for value in values], dtype=np.int64)[inverse]
    return _blocks.Rows(X, y, ids), codes


def _directed(X: NDArray[Any], mean: NDArray[np.float64]) -> NDArray[Any]:
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
    rows = np.sum(counts, axis=0, dtype=np.int64)
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

    return _several([packet(region) for region in range(plan.regions)])


def gather(plan: Plan, means: tuple[Any, Any], *packets: Rows) -> tuple[Any, Any, Any]:
    """The rows of a region in the order of its cells; the cells; what was received."""
    whole: list[NDArray[Any]] = [np.concatenate([packet[k] for packet in packets]) for k in range(5)]
    named = [packet.ids for packet in packets if packet.ids is not None]
    ids = np.concatenate(named) if len(named) == len(packets) else None
    order, start, centres = _trustpath.sort_region(plan.n, whole[1], means[0], whole[4], plan.threads)
    empty = np.zeros(0, dtype=np.uint32)
    numbers, y, rho, codes = (array[order] for array in whole[:4])
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


def _by_region(table: Table, positions: NDArray[np.uint32]) -> list[NDArray[np.uint32]]:
    """Ascending positions, by the region that has them."""
    return np.split(positions, np.searchsorted(positions, table.positions[1:-1]))


def around(plan: Plan, table: Table, number: int) -> Any:
    """What a region needs for its search, by region."""
    return _several(_by_region(table, table.region(number).halo()))


def send(table: Table, number: int, arrays: tuple[NDArray[Any], ...], *wanted: NDArray[np.uint32]) -> Any:
    """Rows of arrays of a region, for each region that wants some."""
    first = table.positions[number]
    places = [positions.astype(np.int64) - first for positions in wanted]
    return _several([tuple(array[place] for array in arrays) for place in places])


def _several(packets: list[Any]) -> Any:
    """The results of a task, which are not in a list if there is one only."""
    return tuple(packets) if len(packets) > 1 else packets[0]


def _with(own: tuple[Any, Any], packets: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Two arrays of a region, each with what others sent after it."""
    first, second = (np.concatenate([own[k], *(packet[k] for packet in packets)]) for k in range(2))
    return first, second


def search(plan: Plan, table: Table, number: int, own: Rows, *halo: tuple[Any, Any]) -> tuple[Any, int]:
    """Near neighbours of the rows of a region; what was received."""
    y, rho = _with((own.y, own.rho), halo)
    lists = table.region(number).search(y, rho, table.centre, plan.neighbors, plan.threads)
    return tuple(of.reshape(-1, plan.neighbors) for of in lists), size(halo)


def sweep(plan: Plan, table: Table, number: int, own: Rows, lists: Any, *received: Any) -> tuple[Any, int]:
    """Neighbours refined over neighbours of neighbours. What was received are rows, then their lists, of each region."""
    halo, of_halo = received[: plan.regions], received[plan.regions :]
    y, rho = _with((own.y, own.rho), halo)
    ends, new = (np.concatenate([packet[k] for packet in of_halo]).ravel() for k in range(2))
    flat = tuple(of.ravel() for of in lists)
    region = table.region(number)
    lists = region.sweep(y, rho, table.centre, plan.neighbors, flat, (ends, new), plan.threads)
    return tuple(of.reshape(-1, plan.neighbors) for of in lists), size(of_halo)


def needed(plan: Plan, table: Table, number: int, lists: Any) -> Any:
    """Neighbours of a region's rows that are in other regions, by region."""
    a, b = table.positions[number : number + 2]
    ends = np.unique(lists[0])
    return _several(_by_region(table, ends[(ends < a) | (ends >= b)]))


def _places(table: Table, number: int, ends: NDArray[np.uint32], others: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Where neighbours are among the rows of a region and then those of others."""
    a, b = table.positions[number : number + 2]
    own = (ends >= a) & (ends < b)
    places = np.where(own, ends.astype(np.int64) - a, b - a + np.searchsorted(others, ends))
    return np.ascontiguousarray(places.ravel(), dtype=np.uint32)


def move(
    plan: Plan, table: Table, number: int, own: Rows, moved: Any, lists: Any, wanted: Sequence[Any], *packets: Any
) -> tuple[Any, Any, int]:
    """Rows of a region moved towards their neighbours: for the first time, or the second, after which they are at unit length and add to the
    scatter of all."""
    others = np.concatenate(wanted)
    last = moved is not None
    z = _with(moved if last else (own.y, own.rho), packets)
    places = _places(table, number, lists[0], others)
    squared = lists[1].ravel()
    found = _trustpath.moved((own.y, own.rho), z, places, squared, plan.neighbors, last, plan.threads)
    return found, _trustpath.scatter(found, plan.n, plan.threads) if last else None, size(packets)


def compare(plan: Plan, table: Table, number: int, z: Any, lists: Any, wanted: Sequence[Any], *packets: Any) -> tuple[Any, int]:
    """Cosines of the smoothed rows of a region with their neighbours."""
    places = _places(table, number, lists[0], np.concatenate(wanted))
    return (lists[0], _trustpath.cosines(_with(z, packets), places, plan.neighbors)), size(packets)


def coordinates(plan: Plan, z: Any, components: tuple[Any, Any]) -> Any:
    """Coordinates of the smoothed rows of a region."""
    return _trustpath.coordinates(z, *components, plan.threads)


def distances(
    plan: Plan, table: Table, given: NDArray[np.int64], codes: NDArray[np.int64], nearest: list[Any], *of_regions: Any
) -> Any:
    """How far every row is from the labels, for each region; and last the share of the true neighbours that was found, with what was received."""
    of_rows, of_lists = of_regions[: plan.regions], of_regions[plan.regions :]
    rows = np.concatenate(of_rows)
    ends = np.concatenate([of[0] for of in of_lists])
    cosines = np.concatenate([of[1] for of in of_lists])
    found = _trustpath.signals(
        ends.ravel(), cosines, plan.neighbors, _where(rows, given), codes, len(plan.classes), plan.options
    )
    places = _where(rows, plan.samples[1])
    hits = [np.isin(true, rows[ends[place]]).mean() for place, true in zip(places, nearest)]
    degree, distance, folds = found

    def of_region(k: int) -> tuple[Any, ...]:
        a, b = table.positions[k : k + 2]
        return degree[a:b].copy(), distance[a:b].copy(), [fold[a:b].copy() for fold in folds]

    said = {"recall": float(np.mean(hits)), "received": size(of_regions)}
    return (*(of_region(k) for k in range(plan.regions)), said)


def _where(rows: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of some rows."""
    order = np.argsort(rows)
    return order[np.searchsorted(rows, wanted, sorter=order)]


class Learns(NamedTuple):
    """What a region has of the rows that rules are learnt from."""

    rows: NDArray[np.int64]
    u: NDArray[np.float32]
    codes: NDArray[np.int64]
    signals: tuple[Any, ...]
    ids: Optional[NDArray[Any]]


def choose(plan: Plan, own: Rows, u: NDArray[np.float32], signals: tuple[Any, ...]) -> Learns:
    """The rows of a region that rules are learnt from."""
    which = np.flatnonzero(plan.learns(own.rows) | (own.codes >= 0))
    return Learns(own.rows[which], u[which], own.codes[which], _at(signals, which), None if own.ids is None else own.ids[which])


def _at(signals: tuple[Any, ...], which: NDArray[np.int64]) -> tuple[Any, ...]:
    degree, distance, folds = signals
    # In closed pools there are no distances.
    return degree[which], distance[which] if len(distance) else distance, [f[which] if len(f) else f for f in folds]


class Learnt(NamedTuple):
    """Rules, and what regions need with them: the model, the rows with a given label, where rows were accepted, and the rows to label next."""

    rules: NDArray[np.float64]
    model: Any
    given: Learns
    rows: NDArray[np.int64]
    accepted: NDArray[np.int64]
    suggested: list[int]

    def ranks(self, rows: NDArray[np.int64]) -> Any:
        """The rank of each row among those to label next, from 1."""
        rank = {row: at for at, row in enumerate(self.suggested, 1)}
        return _blocks.arrow("").array([rank.get(row) for row in rows.tolist()], type="int64")


def learn(
    plan: Plan, read: Read, projection: tuple[Any, Any], recall: dict[str, Any], count: int, *received: Any
) -> tuple[Learnt, dict[str, Any]]:
    """Labels the part of the rows that rules are learnt from. What was received are features of ``count`` blocks, then the parts of the regions."""
    started = time.perf_counter()
    X = np.concatenate(received[:count])
    parts = received[count:]
    order = np.argsort(np.concatenate([part.rows for part in parts]))
    rows, u, codes = (np.concatenate([part[k] for part in parts])[order] for k in range(3))
    named = [part.ids for part in parts if part.ids is not None]
    ids = np.concatenate(named)[order] if len(named) == len(parts) else None
    folds = [np.concatenate(of)[order] for of in zip(*(part.signals[2] for part in parts))]
    degree, distance = (np.concatenate([part.signals[k] for part in parts]) for k in range(2))
    signals = (degree[order], distance[order] if len(distance) else distance, folds)
    labelling, rules = _trustpath.learn(
        X, u, (read.signed, *projection), codes, plan.names(), signals, recall["recall"], plan.options
    )
    found = labelling.attributes()
    kind = plan.classes.dtype
    model = labelling.model(None if kind.kind == "T" else str(kind), None, read.mean.tolist(), None)
    given = np.flatnonzero(codes >= 0)
    learnt = Learns(rows[given], u[given], codes[given], _at(signals, given), None if ids is None else ids[given])
    accepted = np.flatnonzero(found["accepted_in"] >= 0)
    estimate = found["estimate"] or (float("nan"),) * 3
    suggested = rows[found["suggestions"]].tolist()
    summary = {
        "promised_precision": float(found["promised"]), "estimated_precision": float(estimate[0]),
        "precision_interval": (float(estimate[1]), float(estimate[2])), "labeller": str(found["labeller"]),
        "notes": labelling.notes(), "suggestions": suggested, "model": model,
        "learnt_from": len(rows), "received": size([X, u, *signals[:2], *folds]), "seconds": time.perf_counter() - started,
    }
    return Learnt(rules, model, learnt, rows[accepted], found["accepted_in"][accepted], suggested), summary


def apply(plan: Plan, own: Rows, u: NDArray[np.float32], signals: tuple[Any, ...], learnt: Learnt) -> Any:
    """Labels the rows of a region: tables of results for each block, and last how many have each verdict."""
    from ._label import _table

    open_ = np.flatnonzero(own.codes < 0)
    given = learnt.given
    # All rows with a given label come first: the nearest of them are named as reasons.
    rows = np.concatenate([given.rows, own.rows[open_]])
    degree, distance, folds = _at(signals, open_)
    joined = (
        np.concatenate([given.signals[0], degree]),
        np.concatenate([given.signals[1], distance]),
        [np.concatenate(pair) for pair in zip(given.signals[2], folds)],
    )
    codes = np.concatenate([given.codes, own.codes[open_]])
    accepted = np.full(len(rows), -1, dtype=np.int64)
    place = np.searchsorted(learnt.rows, rows)
    known = place < len(learnt.rows)
    known[known] = learnt.rows[place[known]] == rows[known]
    accepted[known] = learnt.accepted[place[known]]
    labelling = _trustpath.apply(
        learnt.rules, learnt.model, np.concatenate([given.u, u[open_]]), codes, plan.names(), joined, accepted, plan.options
    )
    ids = rows if own.ids is None or given.ids is None else np.concatenate([given.ids, own.ids[open_]])
    reported, table = _table(labelling.columns([str(name) for name in ids], None), rows, ids, plan.classes)
    if learnt.suggested:
        table["suggested"] = learnt.ranks(reported)
    mine = np.ones(len(reported), dtype=bool)
    mine[: len(given.rows)] = np.isin(given.rows, own.rows)
    pa = _blocks.arrow("")
    table = pa.table({"row": reported, **table}).filter(pa.array(mine)).sort_by("row")
    at = table.column("row").to_numpy()
    ends = np.searchsorted(at, np.append(plan.first, np.iinfo(np.int64).max))
    # Copies: a slice would travel with the entire table.
    tables = [table.take(np.arange(a, b)) for a, b in zip(ends[:-1], ends[1:])]
    verdicts, counts = np.unique(np.array(labelling.attributes()["verdict"])[mine], return_counts=True)
    return (*tables, {"rows": len(at), "verdicts": dict(zip(verdicts.tolist(), counts.tolist())), "results": table.nbytes})


class _Run:
    """Tasks for all blocks and all regions."""

    def __init__(self, cluster: _parts.Cluster, plan: Plan) -> None:
        self.cluster, self.plan = cluster, plan
        self.known = cluster.ray.put(plan)
        self.moved: dict[str, list[Any]] = {}

    def each(self, function: Any, arguments: Sequence[tuple[Any, ...]], returns: int = 1) -> list[Any]:
        """Calls a function for each of these arguments; lists of references where it returns several things."""
        task = self.cluster.task(function, returns, self.plan.threads)
        return [task(*of) for of in arguments]

    def spread(self, function: Any, arguments: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
        """The same of a function that returns one thing for each region."""
        found = self.each(function, arguments, self.plan.regions)
        return found if self.plan.regions > 1 else [[one] for one in found]

    def exchange(self, table: Any, arrays: Sequence[Any], wanted: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """What every region receives of these arrays of the others: ``wanted[p][q]`` is what region p wants of region q."""
        sent = self.spread(send, [(table, q, arrays[q], *(of[q] for of in wanted)) for q in range(len(arrays))])
        return [[of[p] for of in sent] for p in range(len(arrays))]


def run(
    cluster: _parts.Cluster, stored: list[Any], folder: str, plan: Plan
) -> dict[str, Any]:
    """Labels all blocks; the summary, files, and what was moved."""
    ray, regions, blocks = cluster.ray, range(plan.regions), range(len(stored))
    of = _Run(cluster, plan)
    known = of.known
    seconds: dict[str, float] = {}
    clock = time.perf_counter()

    def lap(stage: str) -> None:
        nonlocal clock
        now = time.perf_counter()
        seconds[stage], clock = now - clock, now

    looked = [cluster.get(one) for one in of.each(look, [([block], number, known) for number, block in enumerate(stored)])]
    _parts._check_dims([block["dims"] for block in looked])
    mean = np.sum([block["sum"] for block in looked], axis=0) / plan.n
    zeros = sum(block["zeros"] for block in looked)
    notes = []
    if zeros:
        notes.append(
            f"{zeros} instances are all zeros, which have no direction: they are replaced by the mean of all instances; check the feature extractor"
        )
    signs, exact = (_directed(np.concatenate([block[name] for block in looked]), mean) for name in ("signs", "exact"))
    given, codes = (np.concatenate([block[name] for block in looked]) for name in ("given", "codes"))
    dims = looked[0]["dims"]
    read = Read(mean, _trustpath.has_signs(np.ascontiguousarray(signs)), np.ascontiguousarray(exact))
    reading = ray.put(read)
    del looked, signs, exact
    lap("looking")
    total = None
    for one in of.each(product, [([block], known, reading) for block in stored]):
        part = cluster.get(one)
        total = part if total is None else total + part
    basis = _trustpath.basis(total, dims, plan.n)
    lap("projection")
    projecting = ray.put(basis)
    kept = of.each(keep, [([block], number, known, reading, projecting) for number, block in enumerate(stored)], 4)
    nearest = _nearest([cluster.get(one[3]) for one in kept])
    means = of.each(place, [(known, *(one[1] for one in kept))])[0]
    assigned = of.each(assign, [(known, one[0], means) for one in kept], 2)
    divided = of.each(divide, [(known, means, *(one[1] for one in assigned))])[0]
    dealt = of.spread(deal, [(known, one[0], cells[0], divided) for one, cells in zip(kept, assigned)])
    features = [one[2] for one in kept]
    gathered = of.each(gather, [(known, means, *(one[region] for one in dealt)) for region in regions], 3)
    table = of.each(tabulate, [(means, *(one[1] for one in gathered))])[0]
    own = [one[0] for one in gathered]
    received = {"dealing": sum(cluster.get([one[2] for one in gathered]))}
    del kept, assigned, dealt, gathered
    lap("projecting and dealing")
    wanted = of.spread(around, [(known, table, region) for region in regions])
    halo = of.exchange(table, of.each(_kept, [(rows,) for rows in own]), wanted)
    found = of.each(search, [(known, table, region, own[region], *halo[region]) for region in regions], 2)
    received["rows of cells around"] = sum(cluster.get([one[1] for one in found]))
    received["neighbours of these"] = 0
    for _ in range(plan.sweeps):
        lists = of.exchange(table, of.each(_ends, [(one[0],) for one in found]), wanted)
        found = of.each(
            sweep,
            [(known, table, region, own[region], found[region][0], *halo[region], *lists[region]) for region in regions],
            2,
        )
        received["neighbours of these"] += sum(cluster.get([one[1] for one in found]))
    lists = [one[0] for one in found]
    del halo, found
    lap("neighbours")
    wanted = of.spread(needed, [(known, table, region, lists[region]) for region in regions])
    joined = [of.each(_list, [tuple(one)])[0] for one in wanted]
    z: list[Any] = [None] * len(regions)
    received["rows to move towards"] = 0
    for _ in range(2):
        sources = z if z[0] is not None else of.each(_kept, [(rows,) for rows in own])
        packets = of.exchange(table, sources, wanted)
        moved = of.each(
            move,
            [(known, table, region, own[region], z[region], lists[region], joined[region], *packets[region]) for region in regions],
            3,
        )
        received["rows to move towards"] += sum(cluster.get([one[2] for one in moved]))
        z = [one[0] for one in moved]
    scatters = [cluster.get(one[1]) for one in moved]
    components, projection = _trustpath.components(
        np.sum([one[0] for one in scatters], axis=0), np.sum([one[1] for one in scatters], axis=0), plan.n, basis, read.signed
    )
    packets = of.exchange(table, z, wanted)
    compared = of.each(
        compare,
        [(known, table, region, z[region], lists[region], joined[region], *packets[region]) for region in regions],
        2,
    )
    received["smoothed rows"] = sum(cluster.get([one[1] for one in compared]))
    stored_components = ray.put(components)
    u = of.each(coordinates, [(known, one, stored_components) for one in z])
    rows = of.each(_numbers, [(one,) for one in own])
    del packets, moved, wanted, joined, lists, z
    lap("smoothing")
    task = cluster.task(distances, plan.regions + 1, plan.threads)
    signals = task(known, table, given, codes, nearest, *rows, *(one[0] for one in compared))
    said = cluster.get(signals[-1])
    received["graph"] = said["received"]
    del compared
    lap("distances from labels")
    chosen = of.each(choose, [(known, own[region], u[region], signals[region]) for region in regions])
    task = cluster.task(learn, 2, plan.threads)
    learnt, summary = task(known, reading, projection, said, len(blocks), *features, *chosen)
    summary = cluster.get(summary)
    received["rows that rules are learnt from"] = summary.pop("received")
    del features, chosen
    lap("learning")
    task = cluster.task(apply, len(blocks) + 1, plan.threads)
    tables = [task(known, own[region], u[region], signals[region], learnt) for region in regions]
    written = [cluster.task(_parts.write)(folder, number, *(one[number] for one in tables)) for number in blocks]
    of_regions = cluster.get([one[-1] for one in tables])
    files = cluster.get(written)
    received["results"] = sum(one.pop("results") for one in of_regions)
    lap("labelling and writing")
    summary["notes"] = notes + summary["notes"]
    return {
        "regions": of_regions, "files": files, "recall": said["recall"], "moved": received, "seconds_of": seconds, **summary,
    }


def _kept(rows: Rows) -> tuple[Any, Any]:
    """What other regions need of rows."""
    return rows.y, rows.rho


def _ends(lists: tuple[Any, ...]) -> tuple[Any, Any]:
    """What other regions need of lists."""
    return lists[0], lists[2]


def _list(*arrays: Any) -> list[Any]:
    return list(arrays)


def _numbers(rows: Rows) -> NDArray[np.int64]:
    """The numbers of rows."""
    return rows.rows


def _nearest(of_blocks: list[list[tuple[Any, Any]]]) -> list[NDArray[np.int64]]:
    """The nearest of each sampled row among all blocks, by those among each."""
    out = []
    for lists in zip(*of_blocks):
        inner, rows = (np.concatenate([one[k] for one in lists]) for k in range(2))
        best = np.argsort(-inner, kind="stable")[: max(len(one[0]) for one in lists)]
        out.append(rows[best])
    return out


def plan(
    columns: _blocks.Columns, rows: list[int], of: _parts.Plan, regions: Optional[int], options: Mapping[str, Any], threads: int
) -> Plan:
    """The plan for blocks with these numbers of rows."""
    settings = {**options, "n_jobs": threads}
    settings.pop("missing", None)
    _trustpath.check_options(settings, True)
    n = sum(rows)
    count = max(1, -(-n // ROWS_PER_REGION)) if regions is None else _inputs.count("regions", regions, 1)
    if n < _parts.LEAST_ROWS * count:
        raise ValueError(f"regions = {count} is not usable for {n} rows: a region needs {_parts.LEAST_ROWS} at least")
    samples, (neighbors, cells, sweeps) = _trustpath.region_plan(n)
    return Plan(columns, of.first, n, of.codes, of.classes, min(count, cells), neighbors, cells, sweeps, tuple(samples), settings, threads)
