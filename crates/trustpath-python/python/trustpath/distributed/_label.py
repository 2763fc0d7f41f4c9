"""Labels of a dataset: a part of it is labelled in this process, and the model predicts all rows where they are."""

import hashlib
import os
from typing import Any, NamedTuple

import numpy as np

from .. import _classifier, _frames, _inputs
from . import _ray


class Rows(NamedTuple):
    """Which columns are what, and the class of each label that occurs: -1 where it means that there is none."""

    label: str
    features: list[str]
    id: str
    seed: int
    codes: dict[Any, int]

    def read(self, table: Any) -> tuple[Any, Any]:
        """Features and classes."""
        codes = np.array([self.codes[_inputs.key(value)] for value in table.column(self.label).to_pylist()])
        return _inputs.features(table.select(self.features)), codes

    def keys(self, table: Any, X: Any, codes: Any) -> Any:
        """Hashes of what rows hold, which are the same in any block."""
        ids = table.column(self.id).to_pylist() if self.id in table.column_names else [""] * len(X)
        texts = (f"{self.seed} {code} {name} ".encode() + x.tobytes() for code, name, x in zip(codes, ids, X))
        return np.frombuffer(b"".join(hashlib.blake2b(text, digest_size=8).digest() for text in texts), dtype="<u8")

    def draw(self, data: Any, shares: Any) -> tuple[Any, Any]:
        """Features and classes of these shares of the rows without a class, and of those of each class, in the order of their keys."""
        last = np.array([min(int(share * 2**64), 2**64 - 1) for share in shares], dtype=np.uint64)

        def draw(table: Any) -> dict[str, Any]:
            X, codes = self.read(table)
            keys = self.keys(table, X, codes)
            drawn = keys <= last[codes + 1]
            return {"X": X[drawn], "codes": codes[drawn], "keys": keys[drawn]}

        parts = list(data.map_batches(draw, batch_format="pyarrow", batch_size=None).iter_batches(batch_size=None, batch_format="numpy"))
        X, codes, keys = (np.concatenate([part[name] for part in parts]) for name in ("X", "codes", "keys"))
        order = np.argsort(keys, kind="stable")
        return X[order], codes[order]


def opened(dataset: Any, features: Any, label: str, id: str, seed: int, missing: Any) -> tuple[Any, Rows, Any, Any]:
    """The dataset, what its rows are, the classes, and how many rows have none and how many each of them."""
    _ray.connect()
    import ray.data

    data: Any = dataset if hasattr(dataset, "map_batches") else ray.data.read_parquet(os.fspath(dataset))
    first, _ = _frames.split(data.take_batch(1, batch_format="pyarrow"), label)
    unnamed = first.select([name for name in first.column_names if name != id])
    features = [features] if isinstance(features, str) else list(features or _frames.chosen(unnamed)[0])
    counts: dict[Any, int] = {}
    for batch in data.select_columns([label]).iter_batches(batch_size=None, batch_format="pyarrow"):
        for value, count in map(dict.values, batch.column(label).combine_chunks().value_counts().to_pylist()):
            counts[_inputs.key(value)] = counts.get(_inputs.key(value), 0) + count
    times = np.array(list(counts.values()))
    labels = _inputs.labels(list(counts), missing=missing, times=times)
    rows = Rows(label, features, id, seed, dict(zip(counts, labels.codes.tolist())))
    return data, rows, labels.classes, np.bincount(labels.codes + 1, times)


def _predict(table: Any, rows: Rows, stored: Any) -> Any:
    """The results of a block."""
    import pyarrow as pa
    import ray
    model, classes = ray.get(stored)
    X, given = rows.read(table)
    classifier = _classifier.TrustPathClassifier._of(model).set_params(n_jobs=1)
    found = {name: values for name, _, values in classifier._predict(X, [""] * len(X))["columns"] if name != "id"}
    label, known = found["label"], given >= 0
    other = known & (label != given)
    found["credibility"] = np.where(other, np.nan, found["credibility"])
    found["rival"] = np.where(other & (label >= 0), label, found["rival"])
    found["probability"] = np.where(known, 1.0, found["probability"])
    found["verdict"] = np.where(known, "given", found["verdict"])
    found["label"] = np.where(known, given, label)
    for name in ("label", "rival"):
        found[name] = pa.array(classes).take(pa.array(found[name], mask=found[name] < 0))
    names = [name for name in table.column_names if name not in (rows.label, *rows.features, *found)]
    return pa.table({**{name: table.column(name) for name in names}, **found})


def label(
    dataset: Any, *, features: Any = None, label: str = "label", id: str = "id", sample: int = 20_000, output: Any = None, seed: int = 0,
    missing: Any = None, **options: Any,
) -> Any:
    """Labels a dataset of any size: :class:`trustpath.TrustPathClassifier` is fitted to a part of it, and predicts every row.

    ``dataset`` is a ``ray.data.Dataset``, or a file or folder of parquet, on this machine or in an object store (``s3://…``). ``label`` and
    ``id`` are its columns of labels and, if there is one, of names; ``features`` are one column of lists or several numeric ones, by default
    its column of lists or else all numeric ones. The part has all rows with a given label, and as many others as fill ``sample``: those with
    the smallest hashes of ``seed``, name, label and features, so that results are the same for any blocks and workers. The classifier, with
    ``missing`` and ``options`` as it takes them, is fitted in this process. The dataset returned has the columns that are neither features
    nor labels, and ``label``, ``probability``, ``credibility``, ``verdict`` and ``rival``; ``output`` is a new folder to write it to instead.
    """
    sample, seed = _inputs.count("sample", sample, 2), _inputs.count("seed", seed)
    classifier = _classifier.TrustPathClassifier(**options, missing="")
    data, rows, classes, counts = opened(dataset, features, label, id, seed, missing)
    # A few more than needed, so that their number does not depend on luck; those with the largest keys are left out.
    X, codes = rows.draw(data, [(sample + 6 * sample**0.5 + 20) / counts.sum()] + [1.0] * len(classes))
    surplus = np.flatnonzero(codes < 0)[max(0, sample - np.count_nonzero(codes >= 0)) :]
    X, codes = np.delete(X, surplus, axis=0), np.delete(codes, surplus)
    fitted = classifier.fit(X, np.array([None if code < 0 else classes[code] for code in codes], dtype=object))
    stored = _ray.connect().put((fitted._model, fitted.classes_))
    data = data.map_batches(_predict, fn_args=(rows, stored), batch_format="pyarrow", batch_size=None)
    return data if output is None else data.write_parquet(os.fspath(output), mode="error")
