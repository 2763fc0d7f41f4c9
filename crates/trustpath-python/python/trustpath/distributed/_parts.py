"""A pool on several machines, cut into parts each of which one worker audits, or labels if it is the only one, as one machine does.

1. *Scan*: every block says how many rows it has and which labels occur.
2. *Deal*: every block sends each of its rows to one of P parts, drawn by a hash of the number of the row. So a part is a random sample of
   the pool, whatever the order of the rows. Rows that every part needs are sent to all: those with a given label in ``label``, those
   of rare classes in ``audit``.
3. *Work*: each part runs the pipeline of one machine on its rows, in ascending order.
4. *Write*: the results of each block are put together again and written as one parquet file.

All four are tasks without state, whose results are functions of their arguments: a task whose worker dies is run again by Ray, and so is
one whose result was lost with its machine. The driver sees a summary of each task, and nothing of the size of the pool.
"""

from __future__ import annotations

import os
import time
from typing import Any, Callable, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from .. import _inputs
from . import _blocks, _ray

#: Rows of a part, about, where the number of parts is not given: one machine labels a million in minutes.
ROWS_PER_PART = 1_000_000
#: Rows of a part on average, at least.
LEAST_ROWS = 100
#: Rows of a class that each part should have, at least: rows of classes with fewer are sent to all parts.
ROWS_OF_A_CLASS = 20


class Packet(NamedTuple):
    """Rows on their way from a block to a part."""

    rows: NDArray[np.int64]
    X: NDArray[Any]
    codes: NDArray[np.int64]
    ids: Optional[NDArray[Any]]

    def size(self) -> int:
        """Bytes."""
        return sum(array.nbytes for array in self if array is not None)


class Plan(NamedTuple):
    """What all tasks know."""

    columns: _blocks.Columns
    #: The first row of every block.
    first: NDArray[np.int64]
    #: Number of parts.
    parts: int
    #: The code of every label; -1 where it means that there is none.
    codes: dict[Any, int]
    classes: NDArray[Any]
    #: Whether rows of each class go to all parts.
    to_all: NDArray[np.bool_]
    #: Whether rows without a label take part.
    unlabeled: bool


class Found(NamedTuple):
    """What a part found: rows, a table with one line for each, and what is said of the entire part."""

    rows: NDArray[np.int64]
    columns: dict[str, Any]
    summary: dict[str, Any]


#: Labels or audits a part: features, codes, row numbers, names, the plan, the number of the part.
Work = Callable[[NDArray[Any], NDArray[np.int64], NDArray[np.int64], NDArray[Any], Plan, int], Found]


def part_of(rows: NDArray[np.int64], parts: int) -> NDArray[np.int64]:
    """The part of each row: its number, mixed (SplitMix64), modulo the number of parts."""
    with np.errstate(over="ignore"):
        z = rows.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z % np.uint64(parts)).astype(np.int64)


def _distinct(y: NDArray[Any]) -> tuple[list[Any], NDArray[np.int64]]:
    """The labels that occur, and the place of each row's label among them."""
    if y.dtype.kind != "O":
        values, inverse = np.unique(y, return_inverse=True)
        return values.tolist(), inverse
    places: dict[Any, int] = {}
    # All NaN are one label.
    inverse = np.array([places.setdefault(None if value != value else value, len(places)) for value in y.tolist()])
    return list(places), inverse


def codes_of(y: NDArray[Any], codes: dict[Any, int]) -> NDArray[np.int64]:
    """The code of each row's label."""
    values, inverse = _distinct(y)
    return np.array([codes[_key(value)] for value in values], dtype=np.int64)[inverse]


def scan(block: list[Any], columns: _blocks.Columns) -> dict[str, Any]:
    """The size of a block, and the labels that occur with their numbers."""
    y, dims = _blocks.labels(block[0], columns)
    values, inverse = _distinct(y)
    counts = np.bincount(inverse, minlength=len(values)) if len(values) else np.zeros(0, dtype=np.int64)
    return {"rows": len(y), "dims": dims, "labels": values, "counts": counts.tolist()}


def deal(block: list[Any], number: int, plan: Plan) -> tuple[Packet, ...]:
    """The rows of a block that go to each part, and last those that go to all."""
    X, y, ids = _blocks.load(block[0], plan.columns)
    codes = codes_of(y, plan.codes)
    rows = plan.first[number] + np.arange(len(X), dtype=np.int64)
    to_all = (codes >= 0) & plan.to_all[codes]
    taken = ~to_all if plan.unlabeled else ~to_all & (codes >= 0)
    to = part_of(rows, plan.parts)

    def packet(which: NDArray[np.bool_]) -> Packet:
        return Packet(rows[which], X[which], codes[which], None if ids is None else ids[which])

    return (*(packet(taken & (to == part)) for part in range(plan.parts)), packet(to_all))


def _key(value: Any) -> Any:
    """A label as the key of a dict: NaN is not equal to itself."""
    return None if value != value else value


def work(run: Work, plan: Plan, part: int, *packets: Packet) -> tuple[Any, ...]:
    """Runs the pipeline on a part; the results for each block, and last the summary."""
    started = time.perf_counter()
    check_dims([packet.X.shape[1] for packet in packets[: len(packets) // 2]])
    rows = np.concatenate([packet.rows for packet in packets])
    order = np.argsort(rows, kind="stable")
    rows = rows[order]
    X = _in_order([packet.X for packet in packets], order)
    codes = _in_order([packet.codes for packet in packets], order)
    names = [packet.ids for packet in packets if packet.ids is not None]
    ids = _in_order(names, order) if len(names) == len(packets) else rows
    # Half of the packets are for this part, one from each block, and half for all.
    received, to_all = (sum(packet.size() for packet in half) for half in (packets, packets[len(packets) // 2 :]))
    gathered = time.perf_counter()
    found = run(X, codes, rows, ids, plan, part)
    # A row that went to all parts is reported by one of them.
    own = part_of(found.rows, plan.parts) == part
    pa = _blocks.arrow("")
    table = pa.table({"row": found.rows, **found.columns})
    table = table.filter(pa.array(own))
    summary = {
        "part": part, "rows": len(rows), "reported": int(own.sum()), **found.summary,
        "received": received, "to_all": to_all, "results": table.nbytes,
        "seconds_gathering": gathered - started, "seconds": time.perf_counter() - gathered,
    }
    return (*by_block(table, plan.first), summary)


def table(
    columns: list[tuple[str, str, Any]], rows: NDArray[Any], names: NDArray[Any], classes: NDArray[Any]
) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """The rows of the lines of a table of results, and its columns for a parquet file."""
    pa = _blocks.arrow("")
    places = next(values for _, kind, values in columns if kind == "row")
    out: dict[str, Any] = {}
    for name, kind, values in columns:
        if kind == "row":
            out[name] = pa.array(names[values])
        elif kind == "class":
            missing = values < 0
            out[name] = pa.array(classes[np.where(missing, 0, values)], mask=missing)
        elif kind == "count":
            out[name] = pa.array(values, mask=values < 0)
        else:
            out[name] = pa.array(values)
    return rows[places], out


def by_block(table: Any, first: NDArray[np.int64]) -> list[Any]:
    """The lines of a table for each block, by their column ``row`` and the first row of every block."""
    table = table.sort_by("row")
    ends = np.searchsorted(table.column("row").to_numpy(), np.append(first, np.iinfo(np.int64).max))
    # Copies: a slice would travel with the entire table.
    return [table.take(np.arange(a, b)) for a, b in zip(ends[:-1], ends[1:])]


def _in_order(arrays: list[NDArray[Any]], order: NDArray[np.int64]) -> NDArray[Any]:
    """Arrays one after the other, then in this order, with one copy."""
    places = np.empty_like(order)
    places[order] = np.arange(len(order))
    out = np.empty((len(order), *arrays[0].shape[1:]), dtype=np.result_type(*arrays))
    start = 0
    for array in arrays:
        out[places[start : start + len(array)]] = array
        start += len(array)
    return out


def write(out: str, number: int, *tables: Any) -> dict[str, Any]:
    """Writes the results of a block, in the order of its rows: under another name first, so that no file is ever half-written."""
    pa, parquet = _blocks.arrow(""), _blocks.arrow("parquet")
    table = pa.concat_tables(tables, promote_options="default").sort_by("row")
    system, folder = _blocks.file_system(out)
    path = f"{folder}/block-{number:05d}.parquet"
    unfinished = f"{folder}/_block-{number:05d}"
    with system.open_output_stream(unfinished) as stream:
        parquet.write_table(table, stream)
    system.move(unfinished, path)
    return {"file": path, "rows": table.num_rows, "bytes": system.get_file_info(path).size}


class Cluster:
    """Tasks on Ray."""

    def __init__(self, threads: int, retries: int) -> None:
        self.ray = _ray.connect()
        self.threads, self.retries = threads, retries

    def task(self, function: Any, returns: int = 1, threads: int = 1) -> Any:
        """A function that runs on a worker."""
        cores = _ray.share(self.ray, 1, threads)
        remote = self.ray.remote(function)
        return remote.options(num_returns=returns, num_cpus=cores, max_retries=self.retries).remote

    def get(self, answers: Any) -> Any:
        return _ray.get(self.ray, answers, self.retries)


class Scanned(NamedTuple):
    """Blocks, of which sizes and labels are known, and where results go."""

    cluster: Cluster
    stored: list[_blocks.Block]
    folder: str
    blocks: list[dict[str, Any]]
    #: The sizes of the blocks.
    rows: list[int]


def scanned(blocks: _blocks.Blocks, out: Any, columns: _blocks.Columns, threads: int, retries: int) -> Scanned:
    """Looks at all blocks."""
    threads, retries = _inputs.count("threads", threads, 1), _inputs.count("retries", retries)
    of_blocks = _blocks.listed(blocks)
    folder = _empty(os.fspath(out))
    cluster = Cluster(threads, retries)
    stored = _blocks.stored(cluster.ray, of_blocks)
    found = cluster.get([cluster.task(scan)([block], columns) for block in stored])
    check_dims([block["dims"] for block in found])
    return Scanned(cluster, stored, folder, found, [block["rows"] for block in found])


def run(
    pool: Scanned, job: Work, *, columns: _blocks.Columns, unlabeled: bool, parts: Optional[int], missing: Any
) -> dict[str, Any]:
    """Runs a job over all blocks; summaries of the parts, files, and what was moved."""
    cluster, stored, folder, _, rows = pool
    ray, threads = cluster.ray, cluster.threads
    count = max(1, -(-sum(rows) // ROWS_PER_PART)) if parts is None else _inputs.count("parts", parts, 1)
    if count > 1 and sum(rows) < LEAST_ROWS * count:
        raise ValueError(f"parts = {count} is not usable for {sum(rows)} rows: a part needs {LEAST_ROWS} at least")
    plan = plan_of(pool.blocks, rows, count, columns, unlabeled, missing)
    known = ray.put(plan)
    dealt = [cluster.task(deal, count + 1)([block], number, known) for number, block in enumerate(stored)]
    found = [
        cluster.task(work, len(stored) + 1, threads)(
            job, known, part, *(packets[part] for packets in dealt), *(packets[-1] for packets in dealt)
        )
        for part in range(count)
    ]
    del dealt
    written = [cluster.task(write)(folder, number, *(tables[number] for tables in found)) for number in range(len(stored))]
    summaries = cluster.get([tables[-1] for tables in found])
    files = cluster.get(written)
    return {"classes": plan.classes, "rows": rows, "parts": summaries, "files": files}


def check_dims(dims: list[Optional[int]]) -> None:
    """Refuses blocks that differ in their number of features, where it is known."""
    known = [(k, d) for k, d in enumerate(dims) if d is not None]
    for k, d in known:
        if d != known[0][1]:
            raise ValueError(f"block {k} has {d} features where block {known[0][0]} has {known[0][1]}: give all the same")


def _empty(out: str) -> str:
    """Makes the folder of the results; refuses one with results of another run, which would mix with these."""
    system, path = _blocks.file_system(out)
    system.create_dir(path, recursive=True)
    found = system.get_file_info(_blocks.arrow("fs").FileSelector(path))
    if any(info.base_name.startswith("block-") for info in found):
        raise ValueError(f"{out} has results of another run: give another folder, or remove its files")
    return out


def plan_of(
    scanned: list[dict[str, Any]], rows: list[int], parts: int, columns: _blocks.Columns, unlabeled: bool, missing: Any
) -> Plan:
    """The classes of all blocks, and which of them go to all parts."""
    totals: dict[Any, int] = {}
    for block in scanned:
        for value, count in zip(block["labels"], block["counts"]):
            totals[_key(value)] = totals.get(_key(value), 0) + count
    labels = _inputs.labels(list(totals), missing=missing, times=np.array(list(totals.values()), dtype=np.int64))
    of_class = np.zeros(len(labels.classes), dtype=np.int64)
    for code, count in zip(labels.codes, totals.values()):
        if code >= 0:
            of_class[code] += count
    # Every part needs all given labels where they are few, and some rows of every class where all rows have one.
    to_all = np.ones(len(of_class), dtype=bool) if unlabeled else of_class < ROWS_OF_A_CLASS * parts
    if parts == 1:
        to_all[:] = False
    first = np.concatenate([[0], np.cumsum(rows)[:-1]]).astype(np.int64)
    return Plan(columns, first, parts, dict(zip(totals, labels.codes.tolist())), labels.classes, to_all, unlabeled)
