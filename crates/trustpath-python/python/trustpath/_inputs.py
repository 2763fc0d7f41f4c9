"""Inputs: features without copying, labels as indices of classes."""

from __future__ import annotations

import numbers
import warnings
from collections import Counter
from typing import Any, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from . import _frames, _texts, _trustpath

FLOATS = [np.float64, np.float32]
ORIGINS = ("unknown", "random", "chosen")


class Labels(NamedTuple):
    """Labels as indices of classes, -1 where there is none."""

    codes: NDArray[np.int64]
    classes: NDArray[Any]

    def names(self) -> list[str]:
        """The names of the classes."""
        return [str(label) for label in self.classes]


def decode(classes: NDArray[Any], codes: NDArray[np.int64]) -> NDArray[Any]:
    """The labels of classes; '' for text, None for booleans and -1 for others where there is none."""
    missing = codes < 0
    if not missing.any():
        return classes[codes]
    marker: Any = -1
    if classes.dtype.kind in "UOT":
        marker = ""
    elif classes.dtype.kind == "u":
        classes = classes.astype(np.int64)
    elif classes.dtype.kind == "b":
        classes, marker = classes.astype(object), None
    out = classes[np.where(missing, 0, codes)]
    out[missing] = marker
    return out


def classes(names: list[str], kind: Optional[str]) -> NDArray[Any]:
    """Classes of a numpy type from their names; strings where the type is not known."""
    if kind == "bool":
        return np.array([name == "True" for name in names])
    return np.array(names) if kind is None else np.array(names).astype(kind)


def features(X: Any, name: str = "X") -> NDArray[Any]:
    """A C-contiguous matrix of float32 or float64; not copied if X is one already. Texts are represented."""
    texts = _texts.as_texts(X)
    if texts is not None:
        return _texts.represent(texts)[1]
    X = _frames.matrix(X)
    if hasattr(X, "to_numpy") and not isinstance(X, np.ndarray):
        X = X.to_numpy()
    checked: NDArray[Any] = check_array(X, dtype=FLOATS, order="C", input_name=name)
    return checked


def _missing(value: Any) -> bool:
    """Whether an entry of an object array is no value at all."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, numbers.Real) and float(value) != float(value)


def key(value: Any) -> Any:
    """A label as the key of a dict: None, if it is no value at all, since NaN is not equal to itself."""
    return None if _missing(value) else value


def _text(value: Any) -> str:
    """A label as the rules for missing labels read it."""
    if isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_)):
        number = float(value)
        return str(int(number)) if number.is_integer() else repr(number)
    return str(value)


def _judge(values: list[Any], counts: list[int], missing: Any, list_missing: bool) -> list[bool]:
    """Which of these distinct labels mean that there is none, by the rules that the command has as well."""
    if missing is None:
        markers = None
    elif isinstance(missing, (str, numbers.Real)):
        markers = [_text(missing)]
    else:
        markers = [_text(marker) for marker in missing]
    labels = [(_text(value), int(n)) for value, n in zip(values, counts)]
    found, notes = _trustpath.missing_labels(labels, markers, list_missing and markers is None)
    for note in notes:
        warnings.warn(note, stacklevel=6)
    return found


def _where_missing(y: NDArray[Any], missing: Any, times: Optional[NDArray[np.int64]]) -> NDArray[np.bool_]:
    """Where there is no label. ``times`` is how often each entry occurs, if not once."""
    times = np.ones(len(y), dtype=np.int64) if times is None else times
    if y.dtype.kind == "b":
        return np.zeros(len(y), dtype=bool)
    if y.dtype.kind == "O":
        out = np.array([_missing(value) for value in y], dtype=bool)
        texts: Counter[str] = Counter()
        for value, n in zip(y[~out], times[~out]):
            texts[_text(value)] += int(n)
        marked = _judge(list(texts), list(texts.values()), missing, True)
        markers = {text for text, is_marker in zip(texts, marked) if is_marker}
        out[~out] = [_text(value) in markers for value in y[~out]]
        return out
    out = np.isnan(y) if y.dtype.kind == "f" else np.zeros(len(y), dtype=bool)
    values, inverse = np.unique(y[~out], return_inverse=True)
    counts = np.bincount(inverse, weights=times[~out], minlength=len(values)).astype(np.int64)
    # -1 among numbers is what scikit-learn writes too, and needs no warning.
    marked = _judge(values.tolist(), counts.tolist(), missing, y.dtype.kind not in "fiu")
    out[~out] = np.array(marked, dtype=bool)[inverse] if len(values) else False
    return out


def _objects(y: NDArray[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
    """Objects as an array of one type: all text, or all numbers."""
    given = y[~missing]
    text = sum(isinstance(value, str) for value in given)
    if text == len(given):
        return y
    if text or not all(isinstance(value, (numbers.Real, np.bool_)) for value in given):
        kinds = ", ".join(sorted({type(value).__name__ for value in given}))
        raise TypeError(
            f"y mixes labels of different kinds ({kinds}): make all of them strings, or all of them numbers"
        )
    out = np.full(len(y), np.nan)
    out[~missing] = given.astype(float)
    if len(given) and all(isinstance(value, (bool, np.bool_)) for value in given):
        return np.where(missing, False, out == 1)
    whole = np.isnan(out) | (out == np.floor(out))
    return np.where(missing, -1, out).astype(np.int64) if whole.all() else out


def labels(
    y: Any,
    rows: Optional[int] = None,
    *,
    all_labelled: bool = False,
    missing: Any = None,
    times: Optional[NDArray[np.int64]] = None,
) -> Labels:
    """Labels, of which some are missing: None, NaN, '' and the markers that ``missing`` lists, or the usual ones.

    Classes are in ascending order, as on the command line. ``times`` is how often each entry of y occurs, if not once.
    """
    if y is None:
        raise ValueError(
            "trustpath requires y to be passed, but the target y is None: "
            "give a label, or -1, NaN, None or '' for every instance"
        )
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    if not isinstance(y, np.ndarray):
        y = list(y) if not hasattr(y, "__array__") else np.asarray(y)
    if isinstance(y, list):
        # numpy would turn [1, "a"] into text, and [1, None] into objects.
        kinds = {str if isinstance(v, str) else type(v) for v in y}
        y = np.array(y, dtype=object) if len(kinds) > 1 else np.asarray(y)
    y = column_or_1d(y, warn=True)
    if rows is not None and len(y) != rows:
        raise ValueError(
            f"y has {len(y)} labels but X has {rows} instances (inconsistent numbers of samples): "
            "give one entry per instance, -1 where there is no label"
        )
    if y.dtype.kind == "S":
        y = y.astype(str)
    if y.dtype.kind not in "ObiufUT":
        raise TypeError(f"y has labels of type {y.dtype}: make them strings or whole numbers")
    absent = _where_missing(y, missing, times)
    if y.dtype.kind == "O":
        y = _objects(y, absent)
    given = y[~absent]
    if len(given) == 0:
        raise ValueError("y has no label at all: label at least one instance of each of two classes")
    # A few repetitions are enough for scikit-learn to see that these are classes.
    check_classification_targets(given if times is None else np.repeat(given, np.minimum(times[~absent], 4)))
    classes, codes = np.unique(given, return_inverse=True)
    if len(classes) < 2:
        raise ValueError(
            f"y has one class only ({classes[0]!r}): label at least one instance of a second class"
        )
    if all_labelled and absent.any():
        row = int(np.flatnonzero(absent)[0])
        raise ValueError(f"y has no label for instance {row}: every instance needs one here")
    out = np.full(len(y), -1, dtype=np.int64)
    out[~absent] = codes
    return Labels(out, classes)


def pool(X: Any, y: Any, *, all_labelled: bool = False, missing: Any = None) -> tuple[NDArray[Any], Labels]:
    """Features and labels that belong together."""
    X, y = _frames.split(X, y)
    X = features(X)
    found = labels(y, X.shape[0], all_labelled=all_labelled, missing=missing)
    check_consistent_length(X, found.codes)
    return X, found


def origins(values: Any, rows: int) -> Optional[list[str]]:
    """The names of origins, one for each instance; None, NaN and '' are unknown. None where nobody says anything."""
    if values is None:
        return None
    found = ["unknown" if _missing(value) or value == "" else str(value) for value in values]
    if len(found) != rows:
        raise ValueError(f"origins has {len(found)} names but there are {rows} instances: give one for each")
    for row, name in enumerate(found):
        if name not in ORIGINS:
            raise ValueError(f"the origin of instance {row} is {name!r}: give 'random', 'chosen' or 'unknown' (or None)")
    return found


def seed(random_state: Any) -> int:
    """A seed from a random state of scikit-learn; None is 0, so that results repeat."""
    if random_state is None:
        return 0
    if isinstance(random_state, numbers.Integral):
        number = int(random_state)
        if not 0 <= number < 2**64:
            raise ValueError(f"random_state = {number} is not usable: give a whole number from 0")
        return number
    draw = getattr(random_state, "randint", None) or getattr(random_state, "integers", None)
    if draw is None:
        raise ValueError(f"random_state = {random_state!r} is not usable: give a whole number")
    return int(draw(2**31 - 1))


def count(name: str, value: Any, least: int = 0) -> int:
    """A whole number that is not too small."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} = {value!r} is not usable: give a whole number")
    if value < least:
        raise ValueError(f"{name} = {value} is not usable: it must be at least {least}")
    return int(value)


def names(ids: Optional[Any], rows: int) -> list[str]:
    """The names of instances; None stands for row numbers."""
    found = [str(row) for row in (range(rows) if ids is None else ids)]
    if len(found) != rows:
        raise ValueError(f"ids has {len(found)} names but X has {rows} instances: give one for each")
    if len(set(found)) != rows:
        raise ValueError("ids gives two instances the same name: give each its own name")
    return found
