"""HTML reports and data frames about results."""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import Any, Optional, TypeVar, Union

import numpy as np
from numpy.typing import NDArray

from . import _inputs


class Report(str):
    """A self-contained HTML page, which shows itself in a notebook.

    It is the text of the page; ``save`` writes it to a file that opens in any browser.
    """

    __slots__ = ()

    def save(self, path: Union[str, os.PathLike[str]]) -> Path:
        """Writes the page to a file.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        Path
            The same.
        """
        file = Path(path)
        file.write_text(self, encoding="utf-8")
        return file

    def __repr__(self) -> str:
        return f"<trustpath.Report of {len(self.encode()) / 1e6:.1f} MB; save() it, or show it in a notebook>"

    def _repr_html_(self) -> str:
        # In a frame of its own the page's security policy and script apply to nothing outside.
        page = html.escape(str(self), quote=True)
        style = "width:100%;height:46rem;border:1px solid #8884;border-radius:6px"
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" style="{style}" '
            'title="trustpath report"></iframe>'
        )


Result = TypeVar("Result")


def kept(result: Optional[Result]) -> Result:
    """The result in Rust, which is too large to be pickled."""
    if result is None:
        raise RuntimeError(
            "reasons, data frames and pages are not kept when a result is pickled or loaded: compute it again"
        )
    return result


def frame(columns: list[tuple[str, str, Any]], ids: NDArray[Any], classes: NDArray[Any]) -> Any:
    """A pandas data frame of the columns of a table, with instances and classes named."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("to_frame() needs pandas: pip install pandas") from error
    data = {}
    for name, kind, values in columns:
        if kind == "row":
            values = ids[values]
        elif kind == "class":
            values = _inputs.decode(classes, values)
        elif kind == "count":
            values = pd.arrays.IntegerArray(values, values < 0)
        data[name] = values
    return pd.DataFrame(data)


def id_array(ids: Optional[Any], rows: int) -> NDArray[Any]:
    """The ids of instances, by default row numbers."""
    return np.arange(rows) if ids is None else np.asarray(ids)


def report(
    X: Any, y: Any, *, kind: str = "label", ids: Optional[Any] = None, source: str = "X", **options: Any
) -> Report:
    """A page about labels: map, path, galleries, and every verdict with its reason.

    It is the page that ``trustpath label --report`` (or ``audit``) writes. To label and draw in two steps, use
    :meth:`TrustPathClassifier.report` or :meth:`AuditResult.report`.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,)
        Labels; -1, NaN, None or '' where there is none.
    kind : {'label', 'audit'}, default='label'
        Whether to label what has no label, or to audit the labels that are given.
    ids : array-like of shape (n_samples,), default=None
        The name of each instance; None for row numbers.
    source : str, default='X'
        The name of the features.
    **options
        Those of :class:`TrustPathClassifier`, or of :func:`audit`.

    Returns
    -------
    Report
        The page.

    Examples
    --------
    >>> import numpy as np, trustpath
    >>> birds = trustpath.load_dataset("cub")
    >>> X, truth = birds.data[:200], birds.target_names[birds.target[:200]]
    >>> page = trustpath.report(X, np.where(np.arange(200) % 20 == 0, truth, ""), source="four birds")
    >>> page.startswith("<!DOCTYPE html>"), "four birds" in page
    (True, True)
    """
    from . import _audit, _classifier

    if kind not in ("label", "audit"):
        raise ValueError(f"kind = {kind!r} is not usable: choose 'label' or 'audit'")
    if ids is not None:
        _inputs.names(ids, len(X))
    if kind == "audit":
        return _audit.audit(X, y, **options).report(ids=ids, source=source)
    return _classifier.TrustPathClassifier(**options).fit(X, y).report(ids=ids, source=source)
