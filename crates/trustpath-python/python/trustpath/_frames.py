"""Features in data frames, tables of Arrow, datasets of Hugging Face and sparse matrices.

A frame of pandas or polars, a ``pyarrow.Table`` or a ``datasets.Dataset`` may have columns of other types beside the features. Its one
column of lists or arrays is the features, or else all numeric columns are. Other columns are left out with a warning.
"""

from __future__ import annotations

import warnings
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

# Bytes that a sparse matrix may take as a dense one.
DENSE = 8 << 30
# Names of columns of lists, best first.
LISTS = ("features", "feats", "embeddings", "embedding", "x", "X", "data")


def _library(X: Any) -> str:
    """The library that a frame is of; '' for other types."""
    library = type(X).__module__.split(".")[0]
    names = {"pandas": "columns", "polars": "columns", "pyarrow": "column_names", "datasets": "column_names"}.get(library)
    return library if names is not None and hasattr(X, names) else ""


def _names(X: Any) -> list[Any]:
    return list(X.columns if _library(X) in ("pandas", "polars") else X.column_names)


def _column(X: Any, name: Any) -> NDArray[Any]:
    if _library(X) == "datasets":
        return np.asarray(X.with_format("numpy")[name][:])
    values: NDArray[Any] = X[name].to_numpy()
    return values


def _is_list(values: NDArray[Any]) -> bool:
    """Whether a column holds lists or arrays of numbers."""
    if values.ndim == 2:
        return values.dtype.kind in "fiu"
    first = next((value for value in values if value is not None), None) if values.dtype.kind == "O" else None
    return isinstance(first, (list, tuple, np.ndarray)) and np.asarray(first).dtype.kind in "fiub"


def _stack(values: NDArray[Any], name: Any) -> NDArray[Any]:
    """A column of lists as a matrix."""
    if values.ndim == 2:
        return values
    lengths = {-1 if value is None else len(value) for value in values}
    if len(lengths) > 1:
        raise ValueError(
            f"the lists of column {name!r} differ in length ({min(lengths)} and {max(lengths)} values, -1 for none): "
            "give every instance the same features"
        )
    return np.array([np.asarray(value) for value in values])


def split(X: Any, y: Any) -> tuple[Any, Any]:
    """X without the column of labels and that column, where y is its name; else X and y."""
    if not isinstance(y, str):
        return X, y
    if not _library(X):
        raise ValueError(f"y = {y!r} is the name of a column, but X has no columns: give one label per instance")
    if y not in _names(X):
        names = ", ".join(repr(name) for name in _names(X)[:8])
        raise ValueError(f"X has no column {y!r} of labels (it has {names}): name one of its columns")
    # As a list, whole numbers stay what they are where some are missing.
    labels = X[y].to_pylist() if _library(X) == "pyarrow" else _column(X, y)
    if _library(X) == "datasets":
        named: Optional[list[str]] = getattr(X.features[y], "names", None)
        if named is not None:
            # -1 is a missing label there.
            labels = np.where(labels < 0, "", np.array(named)[labels])
        return X.remove_columns([y]), labels
    return (X.drop(columns=[y]) if _library(X) == "pandas" else X.drop(y)), labels


def matrix(X: Any, columns: Optional[Any] = None) -> Any:
    """The features of a frame or a sparse matrix; other types as they are.

    With ``columns``, the features are the columns of these names where X has all of them and others.
    """
    if hasattr(X, "tocsr") or hasattr(X, "tocoo"):
        return _dense(X)
    library = _library(X)
    if not library or getattr(X, "ndim", 2) != 2:
        return X
    names = _names(X)
    if columns is not None and set(columns) < set(names):
        names = list(columns)
        return _select(X, names)
    names, lists = chosen(X)
    return _stack(_column(X, names[0]), names[0]) if lists else _select(X, names)


def chosen(X: Any) -> tuple[list[Any], bool]:
    """The columns of a frame that are its features, and whether these are one column of lists."""
    names = _names(X)
    numeric, lists = [], []
    for name in names:
        values = _column(X, name)
        if _is_list(values):
            lists.append(name)
        elif values.dtype.kind in "fiub" or _all_numbers(values):
            numeric.append(name)
    if lists:
        usual = [name for name in LISTS if name in lists]
        if not usual and len(lists) > 1:
            listed = ", ".join(repr(name) for name in lists)
            raise ValueError(f"X has several columns of lists ({listed}): keep the one with the features")
        return (usual or lists)[:1], True
    others = [name for name in names if name not in numeric]
    if others and not numeric:
        raise ValueError("X has no numeric column and no column of lists: give one column per feature")
    if others:
        listed = ", ".join(repr(name) for name in others[:5])
        warnings.warn(f"Columns that are not numeric are not features: {listed}.", stacklevel=6)
    return numeric, False


def _all_numbers(values: NDArray[Any]) -> bool:
    """Whether an object column holds nothing but numbers, as columns with missing values do."""
    return values.dtype.kind == "O" and all(
        value is None or (isinstance(value, (int, float, np.number)) and not isinstance(value, str)) for value in values
    )


def _select(X: Any, names: list[Any]) -> Any:
    """Columns that hold one number in each row."""
    library = _library(X)
    if library in ("pandas", "polars"):
        return X if names == _names(X) else X[names] if library == "pandas" else X.select(names)
    return np.column_stack([_column(X, name) for name in names])


def _dense(X: Any) -> NDArray[Any]:
    """A sparse matrix as a dense one, if it fits."""
    size = X.shape[0] * X.shape[1] * X.dtype.itemsize
    if size > DENSE:
        raise ValueError(
            f"Sparse data was passed for X, which takes {size / 2**30:.0f} GiB as dense rows, and neighbours and principal "
            "components need dense rows: reduce it first, as sklearn.decomposition.TruncatedSVD does"
        )
    dense: NDArray[Any] = X.toarray()
    return dense
