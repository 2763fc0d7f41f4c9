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
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from .. import _inputs, _trustpath
from . import _blocks, _parts
from ._exchange import Plan, Read, Rows
from ._learning import apply, choose, distances, learn
from ._neighbors import around, compare, coordinates, move, needed, search, send, sweep
from ._projection import assign, deal, directed, divide, gather, keep, look, place, product, tabulate

#: Rows of a region, about, where the number of regions is not given.
ROWS_PER_REGION = 500_000


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
    _parts.check_dims([block["dims"] for block in looked])
    mean = np.sum([block["sum"] for block in looked], axis=0) / plan.n
    zeros = sum(block["zeros"] for block in looked)
    notes = []
    if zeros:
        notes.append(
            f"{zeros} instances are all zeros, which have no direction: they are replaced by the mean of all instances; check the feature extractor"
        )
    signs, exact = (directed(np.concatenate([block[name] for block in looked]), mean) for name in ("signs", "exact"))
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
