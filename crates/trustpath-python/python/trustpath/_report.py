"""A page about one's labels."""

from __future__ import annotations

import html
import os
from pathlib import Path
from typing import Any, Optional, Union

from . import _inputs, _params, _trustpath


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
        # A frame of its own: there the page's security policy and script hold, and touch nothing outside.
        page = html.escape(str(self), quote=True)
        style = "width:100%;height:46rem;border:1px solid #8884;border-radius:6px"
        return (
            f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-downloads" style="{style}" '
            'title="trustpath report"></iframe>'
        )


def report(
    X: Any,
    y: Any,
    *,
    kind: str = "label",
    ids: Optional[Any] = None,
    source: str = "X",
    credibility: float = 0.5,
    precision: Optional[float] = None,
    per_class: Optional[int] = None,
    none_of_these: bool = True,
    labeller: str = "auto",
    suggest: int = 0,
    random_state: Any = None,
    n_jobs: Optional[int] = None,
) -> Report:
    """A page about labels: map, path, galleries, and every verdict with its reason.

    It is the page that ``trustpath label --report`` (or ``audit``) writes.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,)
        Labels; -1, NaN, None or '' where there is none.
    kind : {'label', 'audit'}, default='label'
        Whether to label what has no label, or to examine the labels that are given.
    ids : array-like of shape (n_samples,), default=None
        What each instance is called; None for row numbers.
    source : str, default='X'
        What the features are called.
    credibility, precision, per_class, none_of_these, labeller, suggest, random_state, n_jobs
        As of :class:`TrustPathClassifier`.

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
    X, labels = _inputs.pool(X, y)
    names = [str(row) for row in (range(len(X)) if ids is None else ids)]
    if len(names) != len(X):
        raise ValueError(f"ids has {len(names)} names but X has {len(X)} instances: give one for each")
    if len(set(names)) != len(names):
        raise ValueError("ids names two instances alike: give each its own name")
    classes = [str(label) for label in labels.classes]
    if kind == "audit":
        rows = labels.codes >= 0
        ids_of_part = [name for name, labelled in zip(names, rows) if labelled]
        part = X if rows.all() else X[rows]
        codes = labels.codes[rows]
        return Report(
            _trustpath.audit_page(part, codes, classes, ids_of_part, source, _inputs.threads(n_jobs))
        )
    if kind != "label":
        raise ValueError(f"kind = {kind!r} is not usable: choose 'label' or 'audit'")
    params = _params.label(
        credibility=credibility, precision=precision, per_class=per_class, none_of_these=none_of_these,
        labeller=labeller, suggest=suggest, folds=5, random_state=random_state, n_jobs=n_jobs,
    )
    return Report(_trustpath.label_page(X, labels.codes, classes, names, source, params))
