"""Features in data frames, datasets and sparse matrices."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

import trustpath
from trustpath import TrustPathClassifier


@pytest.fixture(scope="module")
def plain(few):
    X, y = few
    return TrustPathClassifier().fit(X[:, :40].astype(np.float64), y)


def columns(X):
    return {f"f{k}": X[:, k].astype(np.float64) for k in range(40)}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_with_other_columns(few, birds, plain, frame):
    (X, y), names = few, birds[2]
    text = np.where(y < 0, "", names[y])
    mixed = frame({"url": [f"h://{i}" for i in range(len(X))], **columns(X), "label": text})
    with pytest.warns(UserWarning, match="not features: 'url'"):
        fitted = TrustPathClassifier().fit(mixed, "label")
    assert (fitted.credibility_ == plain.credibility_).all()
    assert fitted.feature_names_in_.tolist() == list(columns(X))
    assert (fitted.predict(mixed) == names[plain.predict(X[:, :40])]).all()
    with pytest.warns(UserWarning, match="not features"):
        assert len(trustpath.audit(mixed, "label").ranking) == (y >= 0).sum()
    with pytest.raises(ValueError, match="no column 'kind'.*'url'"):
        TrustPathClassifier().fit(mixed, "kind")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_column_of_lists(few, plain, frame):
    X, y = few
    lists = frame({"text": ["t"] * len(X), "embedding": [list(row) for row in X[:, :40].astype(float)], "label": y})
    fitted = TrustPathClassifier().fit(lists, "label")
    assert (fitted.credibility_ == plain.credibility_).all()
    ragged = frame({"embedding": [[1.0, 2.0], [1.0]] * 10})
    with pytest.raises(ValueError, match="differ in length"):
        TrustPathClassifier().fit(ragged, [0, 1] * 10)


def test_tables_of_arrow(few, plain):
    pa = pytest.importorskip("pyarrow")
    X, y = few
    X = X[:, :40].astype(float)
    lists = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), 40)
    labels = pa.array(y, mask=y < 0)
    for columns in ({"embedding": lists}, {f"f{k}": X[:, k] for k in range(40)}):
        fitted = TrustPathClassifier().fit(pa.table({**columns, "label": labels}), "label")
        assert (fitted.credibility_ == plain.credibility_).all() and fitted.classes_.dtype == plain.classes_.dtype
        assert (fitted.predict(pa.table(columns)) == plain.predict(X)).all()
    ragged = pa.table({"embedding": pa.array([[1.0, 2.0], [1.0]] * 10)})
    with pytest.raises(ValueError, match="differ in length"):
        TrustPathClassifier().fit(ragged, [0, 1] * 10)


def test_datasets_of_hugging_face(few, birds, plain):
    datasets = pytest.importorskip("datasets")
    (X, y), names = few, birds[2]
    kinds = datasets.Features(
        {
            "text": datasets.Value("string"),
            "embedding": datasets.Sequence(datasets.Value("float64"), length=40),
            "label": datasets.ClassLabel(names=names.tolist()),
        }
    )
    data = datasets.Dataset.from_dict(
        {"text": ["t"] * len(X), "embedding": X[:, :40].astype(float).tolist(), "label": y.tolist()}, features=kinds
    )
    fitted = TrustPathClassifier().fit(data, "label")
    assert fitted.classes_.tolist() == sorted(names)
    assert np.allclose(np.sort(fitted.credibility_), np.sort(plain.credibility_))
    assert (fitted.predict(data) == names[plain.predict(X[:, :40])]).mean() > 0.99


@pytest.mark.parametrize("kind", [scipy.sparse.csr_matrix, scipy.sparse.csc_array, scipy.sparse.coo_matrix])
def test_sparse_matrices_are_made_dense(few, plain, kind):
    X, y = few
    sparse = kind(X[:, :40].astype(np.float64))
    fitted = TrustPathClassifier().fit(sparse, y)
    assert (fitted.credibility_ == plain.credibility_).all()
    assert (fitted.predict(sparse) == plain.predict(X[:, :40])).all()


def test_a_name_without_columns_is_refused(few):
    with pytest.raises(ValueError, match="X has no columns"):
        TrustPathClassifier().fit(few[0], "label")
