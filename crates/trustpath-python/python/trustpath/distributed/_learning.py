"""Rules that are learnt from a part of all rows, and applied to each."""

from __future__ import annotations

import time
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray

from .. import _trustpath
from . import _blocks, _parts
from ._exchange import Plan, Read, Rows, Table, size


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
    reported, columns = _parts.table(labelling.columns([str(name) for name in ids], None), rows, ids, plan.classes)
    if learnt.suggested:
        columns["suggested"] = learnt.ranks(reported)
    mine = np.ones(len(reported), dtype=bool)
    mine[: len(given.rows)] = np.isin(given.rows, own.rows)
    pa = _blocks.arrow("")
    table = pa.table({"row": reported, **columns}).filter(pa.array(mine))
    verdicts, counts = np.unique(np.array(labelling.attributes()["verdict"])[mine], return_counts=True)
    return (*_parts.by_block(table, plan.first), {"rows": table.num_rows, "verdicts": dict(zip(verdicts.tolist(), counts.tolist())), "results": table.nbytes})
