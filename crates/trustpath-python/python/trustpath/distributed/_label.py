"""Labels and audits of pools that no single machine holds."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from .. import _audit, _classifier, _inputs, _report, _trustpath
from . import _blocks, _parts, _regions

#: Rows up to which one machine keeps a pool in memory, and labels it by other algorithms than a larger one.
ON_ONE_WORKER = 20_000
#: Rows that an audit names as the most suspicious of each part.
NAMED = 100


def _given(codes: NDArray[np.int64], classes: NDArray[Any]) -> NDArray[Any]:
    """Labels as they were given, None where there is none."""
    out = np.empty(len(codes), dtype=object)
    known = codes >= 0
    out[known] = classes[codes[known]].tolist()
    return out


class _Label:
    """Labels a pool that one worker holds."""

    def __init__(self, options: Mapping[str, Any], threads: int) -> None:
        self.options, self.threads = dict(options), threads

    def __call__(
        self, X: NDArray[Any], codes: NDArray[np.int64], rows: NDArray[np.int64], ids: NDArray[Any], plan: _parts.Plan, part: int
    ) -> _parts.Found:
        options = {**self.options, "missing": "", "n_jobs": self.threads}
        with warnings.catch_warnings(record=True) as notes:
            warnings.simplefilter("always")
            fitted = _classifier.TrustPathClassifier(**options).fit(X, _given(codes, plan.classes))
        columns = fitted._kept().columns(_inputs.names(ids, len(X)), None)
        found, table = _parts.table(columns, rows, ids, plan.classes)
        verdicts, counts = np.unique(fitted.verdict_, return_counts=True)
        summary = {
            "verdicts": dict(zip(verdicts.tolist(), counts.tolist())),
            "promised_precision": fitted.promised_precision_,
            "estimated_precision": fitted.estimated_precision_,
            "precision_interval": fitted.precision_interval_,
            "labeller": fitted.labeller_,
            "notes": [str(note.message) for note in notes],
            "suggestions": rows[fitted.suggestions_].tolist(),
            "model": fitted._model,
        }
        return _parts.Found(found, table, summary)


class _Audit:
    """Audits a part."""

    def __init__(self, options: Mapping[str, Any], threads: int) -> None:
        self.options, self.threads = dict(options), threads

    def __call__(
        self, X: NDArray[Any], codes: NDArray[np.int64], rows: NDArray[np.int64], ids: NDArray[Any], plan: _parts.Plan, part: int
    ) -> _parts.Found:
        audited = _audit.audit(X, _given(codes, plan.classes), missing="", n_jobs=self.threads, **self.options)
        columns = _report.kept(audited._result).columns(_inputs.names(ids, len(X)), None)
        found, table = _parts.table(columns, rows, ids, plan.classes)
        own = _parts.part_of(rows, plan.parts) == part
        ranking = audited.ranking[own[audited.ranking]][:NAMED]
        summary = {
            "suspects": int(audited.suspect[own].sum()),
            # Rows of rare classes are in all parts: each part counts its own share.
            "wrong": None if audited.wrong is None else tuple(float(own.mean() * wrong) for wrong in audited.wrong),
            "precision_of_suspects": audited.precision_of_suspects,
            "notes": audited.notes,
            "most_suspicious": list(zip(rows[ranking].tolist(), audited.score[ranking].tolist())),
        }
        return _parts.Found(found, table, summary)


def label(
    blocks: _blocks.Blocks,
    out: Any,
    *,
    regions: Optional[int] = None,
    label: str = "label",
    features: Optional[Sequence[str]] = None,
    id: Optional[str] = None,
    missing: Any = None,
    threads: int = 1,
    retries: int = 3,
    **options: Any,
) -> dict[str, Any]:
    """:class:`trustpath.TrustPathClassifier` for blocks of rows that no single machine holds.

    Runs the pipeline that one machine runs on a large pool: one projection from the sums over all blocks, neighbours searched among all rows,
    which workers exchange, smoothing over these, and a classifier, a path and a cross-validation that are learnt from an even part of the rows and
    then label, judge and trust every row. Up to 20,000 rows, which one machine labels by other algorithms, one worker labels all of them. Every
    block's results are written as a parquet file. The result depends on the rows, the blocks, the options and the number of regions: not on the
    workers, or whether one of them dies.

    Parameters
    ----------
    blocks : sequence, path or ray.data.Dataset
        The blocks of rows. Each is a pair of features (rows, d) and labels (or a triple with names); or Ray's reference to one, or to an
        Arrow table; or a function that returns one of these, or the path of a .parquet file, or of an .npz file with ``X``, ``y`` and
        perhaps ``ids``, which is called or read by the worker itself. A folder stands for the parquet files in it. A path
        with a scheme (``s3://…``) is read through the file systems of pyarrow.
    out : path
        The folder for the results, of which a path with a scheme may be given as well: ``block-00000.parquet`` and so on, one per block, with the
        columns that ``trustpath label --out`` writes and ``row``, the number of the row in all blocks.
    regions : int, default=None
        Groups of rows that are near each other, whose neighbours one task finds; None for one per 500,000 rows.
    label, features, id : str, sequence of str, str
        The columns of tables: labels; features, by default the one column of lists or else all other numeric columns; names.
    missing
        As of :class:`trustpath.TrustPathClassifier`.
    threads : int, default=1
        Threads of a task, and cores that Ray reserves for it.
    retries : int, default=3
        How often a task may be run again because its worker died.
    **options
        Those of :class:`trustpath.TrustPathClassifier`. Beyond 20,000 rows ``per_class``, ``exact``, ``reduction`` and labellers other than rounds and
        no-rounds are refused, since they need all rows in one place. Suggestions come from the rows that rules are learnt from.

    Returns
    -------
    dict
        ``classes``; ``rows``, the sizes of the blocks; ``files``, what was written; ``verdicts``, how many rows have each;
        ``promised_precision``, ``estimated_precision``, ``precision_interval``, ``labeller`` and ``notes`` as one machine says them; ``suggestions``, row
        numbers; ``model``, for ``save`` and ``trustpath predict``; ``learnt_from``, how many rows rules were learnt from; ``recall``, the share of the
        true neighbours that was found, None where all were; ``regions``, the size and the verdicts of each; ``moved``, the bytes that tasks
        received at every stage; ``seconds_of``, the time of each stage.

    Notes
    -----
    Given labels must be few enough for every worker to hold their rows. The lists of all neighbours, some hundred bytes per row, come
    together in one worker. Blocks that are given as arrays go into Ray's object store; if the machine whose store has a block dies, Ray cannot bring
    it back: give functions or paths where machines may be lost.
    """
    _classifier.TrustPathClassifier(**options)
    options["random_state"] = _inputs.seed(options.get("random_state"))
    # Before anything is read: what is wrong with the options must not be found out at the end.
    _trustpath.check_options(options, regions is not None)
    columns = _blocks.Columns(label, features, id)
    pool = _parts.scanned(blocks, out, columns, threads, retries)
    if regions is None and sum(pool.rows) <= ON_ONE_WORKER:
        return _on_one_worker(pool, _Label(options, threads), columns, missing)
    labels = _parts.plan_of(pool.blocks, pool.rows, 1, columns, True, missing)
    plan = _regions.plan(columns, pool.rows, labels, regions, options, threads)
    found = _regions.run(pool.cluster, pool.stored, pool.folder, plan)
    verdicts: dict[str, int] = {}
    for region in found["regions"]:
        for verdict, count in region["verdicts"].items():
            verdicts[verdict] = verdicts.get(verdict, 0) + count
    return {"classes": plan.classes, "rows": pool.rows, "verdicts": verdicts, **found}


def _on_one_worker(pool: _parts.Scanned, job: _Label, columns: _blocks.Columns, missing: Any) -> dict[str, Any]:
    """Labels a pool that one worker holds."""
    found = _parts.run(pool, job, columns=columns, unlabeled=True, parts=1, missing=missing)
    (of_all,) = found.pop("parts")
    summary = {name: of_all[name] for name in ("promised_precision", "estimated_precision", "precision_interval", "labeller", "notes")}
    return {
        **found, **summary, "verdicts": of_all["verdicts"], "suggestions": of_all["suggestions"], "model": of_all["model"],
        "learnt_from": of_all["rows"], "recall": None, "regions": [{"rows": of_all["rows"], "verdicts": of_all["verdicts"]}],
        "moved": {"dealing": of_all["received"], "results": of_all["results"]},
        "seconds_of": {"dealing": of_all["seconds_gathering"], "labelling": of_all["seconds"]},
    }


def audit(
    blocks: _blocks.Blocks,
    out: Any,
    *,
    parts: Optional[int] = None,
    label: str = "label",
    features: Optional[Sequence[str]] = None,
    id: Optional[str] = None,
    missing: Any = None,
    precision: float = 0.8,
    exact: bool = False,
    threads: int = 1,
    retries: int = 3,
) -> dict[str, Any]:
    """:func:`trustpath.audit` for blocks of rows that no single machine holds.

    The rows are dealt at random, by a hash of their number, to parts of about a million rows. Each part is a random sample of the pool and is
    audited by one worker as one machine audits its labels. Rows without a label are left out. Rows of classes
    with fewer than 20 rows per part are sent to all parts, so that none of their labels is alone.

    Parameters
    ----------
    blocks, out, label, features, id, missing, threads, retries
        As of :func:`label`. The columns written are those of ``trustpath audit --out``.
    parts : int, default=None
        Number of parts; None for one per million rows. With 1, results are bit-for-bit those of one machine.
    precision, exact
        As of :func:`trustpath.audit`.

    Returns
    -------
    dict
        ``classes``, ``rows`` and ``files`` as of :func:`label`; ``parts``, what each part says of itself, with the bytes that it received
        (``received``, of which ``to_all`` went to all parts) and wrote (``results``); ``suspects``, how many there are; ``wrong``, how many labels are
        estimated to be wrong and the ends of the interval, summed over parts (None where a part has too few labels);
        ``most_suspicious``, the numbers of up to 100 rows, the most suspicious first.
    """
    columns = _blocks.Columns(label, features, id)
    job = _Audit({"precision": precision, "exact": exact}, threads)
    pool = _parts.scanned(blocks, out, columns, threads, retries)
    found = _parts.run(pool, job, columns=columns, unlabeled=False, parts=parts, missing=missing)
    of_parts = found["parts"]
    wrong = [part["wrong"] for part in of_parts]
    named = sorted((pair for part in of_parts for pair in part.pop("most_suspicious")), key=lambda pair: (-pair[1], pair[0]))
    return {
        **found,
        "suspects": sum(part["suspects"] for part in of_parts),
        "wrong": None if None in wrong else tuple(float(sum(ends)) for ends in zip(*wrong)),
        "most_suspicious": [row for row, _ in named[:NAMED]],
    }
