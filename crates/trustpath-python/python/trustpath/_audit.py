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
    ``lambdas`` can also be read as items, as in ``result["ranking"]``; the grid is the item ``"lambda"``.

    Attributes
    ----------
    credibility : ndarray of shape (n_samples,)
        How credible the given label is, from 0 to 1.
    suggested : ndarray of shape (n_samples,)
        The other label that fits best.
    suggested_credibility : ndarray of shape (n_samples,)
        How credible that would be.
    suspect : ndarray of bool of shape (n_samples,)
        Whether the suggested label fits better than the given one.
    ranking : ndarray of int
        The instances with a label, the most suspicious first.
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
        self.suspect = spread(found["suspect"], False)
        self.ranking = rows[found["ranking"]]
        self.lambdas = found["lambda"]

    _ITEMS = ("credibility", "suggested", "suggested_credibility", "suspect", "ranking", "lambda")

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

        Parameters
        ----------
        ids : array-like of shape (n_samples,), default=None
            The name of each instance; None for row numbers.

        Returns
        -------
        pandas.DataFrame
            ``id``, ``label``, ``suggested``, ``credibility``, ``suggested_credibility``, ``verdict``, ``reason``.
        """
        columns = _report.kept(self._result).columns(self._names(ids), None)
        return _report.frame(columns, _report.id_array(ids, self._size)[self._rows], self.classes)

    def report(
        self, *, ids: Optional[Any] = None, source: str = "X", n_jobs: Optional[int] = None
    ) -> _report.Report:
        """The page that ``trustpath audit --report`` writes.

        Parameters
        ----------
        ids : array-like of shape (n_samples,), default=None
            The name of each instance; None for row numbers.
        source : str, default='X'
            The name of the features.
        n_jobs : int, default=None
            Threads; None for one per core.

        Returns
        -------
        Report
            The page.
        """
        return _report.Report(_report.kept(self._result).page(self._names(ids), source, n_jobs))


def audit(
    X: Any, y: Any, *, exact: bool = False, missing: Any = None, n_jobs: Optional[int] = None
) -> AuditResult:
    """Which of the given labels are likely wrong, and what they should perhaps be.

    Results are bit-for-bit those of ``trustpath audit``.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,)
        Labels. Instances without one (-1, NaN, None, '' and the like) are left out.
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
    options = {"exact": exact, "n_jobs": n_jobs}
    return AuditResult(_trustpath.audit(part, labels.codes[rows], labels.names(), options), rows, len(X), labels)
