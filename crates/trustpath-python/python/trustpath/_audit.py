"""The audit of given labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _inputs, _report, _trustpath


class AuditResult(Mapping[str, NDArray[Any]]):
    """Which of the given labels are likely wrong.

    Arrays have one entry per instance of X; for instances without a label they hold NaN, no label and False. All but
    ``lambdas``, ``wrong``, ``precision_of_suspects`` and ``notes`` can also be read as items, as in ``result["ranking"]``; the grid is
    the item ``"lambda"``.

    Attributes
    ----------
    credibility : ndarray of shape (n_samples,)
        How credible the given label is, from 0 to 1.
    suggested : ndarray of shape (n_samples,)
        The other label that fits best.
    suggested_credibility : ndarray of shape (n_samples,)
        How credible that would be.
    score : ndarray of shape (n_samples,)
        How suspicious the given label is: the larger, the more.
    probability_wrong : ndarray of shape (n_samples,)
        The estimated probability that the given label is wrong; NaN where it cannot be estimated.
    suspect : ndarray of bool of shape (n_samples,)
        Whether the label is among those that are likely wrong, at the precision asked for.
    ranking : ndarray of int
        The instances with a label, the most suspicious first; those that were checked come last.
    wrong : tuple of (float, float, float) or None
        How many labels are estimated to be wrong, and the ends of the interval; None with fewer than 100 labels.
    precision_of_suspects : float
        The expected share of wrong labels among the suspects; NaN if there are none.
    notes : list of str
        What is estimated and what cannot be said, in sentences.
    lambdas : ndarray
        The grid of the path.
    classes : ndarray
        The labels that occur, in ascending order.
    """

    def __init__(self, result: _trustpath.Audit, rows: NDArray[np.int64], size: int, labels: _inputs.Labels) -> None:
        found = result.attributes()

        def spread(values: NDArray[Any], missing: Any) -> NDArray[Any]:
            out = np.full(size, missing, dtype=values.dtype)
            out[rows] = values
            return out

        self._result: Optional[_trustpath.Audit] = result
        self._rows, self._size = rows, size
        self.classes = labels.classes
        self.credibility = spread(found["credibility"], np.nan)
        self.suggested = _inputs.decode(labels.classes, spread(found["suggested"], -1))
        self.suggested_credibility = spread(found["suggested_credibility"], np.nan)
        self.score = spread(found["score"], np.nan)
        self.probability_wrong = spread(found["probability_wrong"], np.nan)
        self.suspect = spread(found["suspect"], False)
        self.wrong: Optional[tuple[float, float, float]] = found["wrong"]
        self.precision_of_suspects: float = found["precision_of_suspects"]
        self.notes: list[str] = found["notes"]
        self.ranking = rows[found["ranking"]]
        self.lambdas = found["lambda"]

    _ITEMS = (
        "credibility",
        "suggested",
        "suggested_credibility",
        "score",
        "probability_wrong",
        "suspect",
        "ranking",
        "lambda",
    )

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._ITEMS:
            raise KeyError(name)
        values: NDArray[Any] = getattr(self, "lambdas" if name == "lambda" else name)
        return values

    def __iter__(self) -> Iterator[str]:
        return iter(self._ITEMS)

    def __len__(self) -> int:
        return len(self._ITEMS)

    def __repr__(self) -> str:
        return f"<trustpath.AuditResult: {int(self.suspect.sum())} suspects among {len(self.ranking)} labels>"

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_result": None}

    def _names(self, ids: Optional[Any]) -> list[str]:
        names = _inputs.names(ids, self._size)
        return [names[row] for row in self._rows]

    def to_frame(self, *, ids: Optional[Any] = None) -> Any:
        """The table that ``trustpath audit --out`` writes, the most suspicious label first.

        Its columns are ``id``, ``label``, ``suggested``, ``credibility``, ``suggested_credibility``, ``score``, ``probability_wrong`` (from
        100 labels on), ``verdict`` and ``reason``. ``ids`` are the names of the instances; None for row numbers.
        """
        columns = _report.kept(self._result).columns(self._names(ids), None)
        return _report.frame(columns, _report.id_array(ids, self._size)[self._rows], self.classes)

    def report(
        self, *, ids: Optional[Any] = None, source: str = "X", n_jobs: Optional[int] = None
    ) -> _report.Report:
        """The page that ``trustpath audit --report`` writes.

        ``ids`` are the names of the instances, None for row numbers; ``source`` is the name of the features, ``n_jobs`` the number of
        threads, None for one per core.
        """
        return _report.Report(_report.kept(self._result).page(self._names(ids), source, n_jobs))


def _answers(verified: Optional[Mapping[int, Any]], rows: NDArray[np.int64], labels: _inputs.Labels) -> list[tuple[int, int]]:
    """Checked labels as places among the labelled rows, and classes."""
    if verified is None:
        return []
    if not isinstance(verified, Mapping):
        raise TypeError(f"verified = {verified!r} is not usable: give a dict from row to the label that is right")
    places = {int(row): place for place, row in enumerate(rows)}
    classes = {label: code for code, label in enumerate(labels.classes.tolist())}
    answers = []
    for row, label in verified.items():
        if isinstance(row, (bool, np.bool_)) or not isinstance(row, (int, np.integer)) or int(row) not in places:
            raise ValueError(f"verified names row {row!r}, which has no label: give rows of X whose label is in y")
        label = label.item() if isinstance(label, np.generic) else label
        if label not in classes:
            raise ValueError(f"verified says that row {row} is {label!r}, but no label in y is: write it as in y")
        answers.append((places[int(row)], classes[label]))
    return answers


def audit(
    X: Any,
    y: Any,
    *,
    verified: Optional[Mapping[int, Any]] = None,
    precision: float = 0.8,
    exact: bool = False,
    missing: Any = None,
    n_jobs: Optional[int] = None,
) -> AuditResult:
    """Which of the given labels are likely wrong, and what they should perhaps be.

    Results are bit-for-bit those of ``trustpath audit``.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,)
        Labels. Instances without one (-1, NaN, None, '' and the like) are left out.
    verified : dict, default=None
        Labels that a person has checked: from row of X to the label that is right, which is the given one if it was
        confirmed. They are taken as true, and correct the estimates.
    precision : float, default=0.8
        As many labels as possible are suspects such that the expected share of wrong ones among them is at least this.
    exact : bool, default=False
        Whether to use exact neighbours and fit to all instances where there are more than 20,000, which takes far longer.
    missing : str, number or list of these, default=None
        Labels that mean that there is none, instead of the usual ones ('?', 'NA', 'unknown', -1 and the like).
    n_jobs : int, default=None
        Threads; None for one per core.

    Returns
    -------
    AuditResult
        Arrays, and methods for a data frame and a page.

    Examples
    --------
    Three of 299 labels are wrong; they come first:

    >>> import trustpath
    >>> birds = trustpath.load_dataset("cub")
    >>> rows = birds.target % 10 == 0
    >>> X, y = birds.data[rows], birds.target[rows].copy()
    >>> y[[10, 100, 200]] = [30, 40, 0]
    >>> sorted(trustpath.audit(X, y).ranking[:3].tolist())
    [10, 100, 200]
    """
    X, labels = _inputs.pool(X, y, missing=missing)
    rows = np.flatnonzero(labels.codes >= 0)
    part = X if len(rows) == len(X) else np.ascontiguousarray(X[rows])
    options = {"precision": precision, "exact": exact, "n_jobs": n_jobs}
    answers = _answers(verified, rows, labels)
    found = _trustpath.audit(part, labels.codes[rows], labels.names(), answers, options)
    return AuditResult(found, rows, len(X), labels)
