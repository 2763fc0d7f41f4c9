"""The estimator, as scikit-learn sees it."""

import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from trustpath import TrustPathClassifier, _trustpath, audit


def test_scikit_learns_own_checks_pass():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checked = check_estimator(TrustPathClassifier())
    names = {check["check_name"]: check["status"] for check in checked}
    assert len(names) > 40
    # The array API is off unless SciPy is configured otherwise before it is imported.
    left = {name for name, status in names.items() if status != "passed"}
    assert left <= {"check_array_api_input"}


def test_attributes_hold_what_was_found(birds, few):
    (X, truth, _), (_, y) = birds, few
    fitted = TrustPathClassifier(suggest=3, average=True).fit(X, y)
    n = len(X)
    given = y >= 0
    assert fitted.classes_.tolist() == [0, 1, 2, 3, 4]
    assert (fitted.transduction_[given] == y[given]).all()
    assert (fitted.labeled_iter_[given] == 0).all() and set(fitted.labeled_iter_[~given]) <= {-1, 1, 2}
    assert fitted.credibility_.shape == (n,) and 0 <= fitted.credibility_.min() <= fitted.credibility_.max() <= 1
    assert fitted.trusted_[given].all() and 0.5 <= fitted.trusted_.mean() < 1
    trusted, doubtful = (fitted.probability_[fitted.verdict_ == verdict] for verdict in ("trusted", "doubtful"))
    assert trusted.min() >= doubtful.max() and trusted.min() == fitted.threshold_
    low, high = fitted.precision_interval_
    assert low <= fitted.estimated_precision_ <= high and fitted.promised_precision_ >= 0.9
    assert fitted.distance_[given].max() == 0 and 0 <= fitted.distance_.min() <= fitted.distance_.max() <= 1
    lambdas, norms = fitted.path_
    assert norms.shape == (len(lambdas), n) and (np.diff(lambdas) < 0).all()
    assert (norms[0] == 0).all() and (norms[-1] > 0).any()
    assert len(fitted.suggestions_) == 3 and not given[fitted.suggestions_].any()
    assert fitted.suggestion_origins_ == ["chosen", "random", "chosen"]
    probabilities = fitted.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    assert (fitted.classes_[probabilities.argmax(axis=1)] == fitted.predict(X)).all()
    credible, trusted = fitted.predict_credibility(X)
    assert (trusted == (fitted.predict_verdict(X) == "trusted")).all() and credible.shape == (n,)
    # Predictions are trusted by the score that held-out labels have chosen, of which the probability of being right is a function.
    right = np.asarray(fitted.predict_frame(X)["probability"], float)
    assert right[trusted].min() >= right[~trusted].max()
    assert (fitted.transduction_ == truth)[~given].mean() > 0.9
    assert fitted.score(X, truth) > 0.9


def test_labels_may_be_missing_in_any_of_the_usual_ways(birds, few):
    (_, _, names), (X, y) = birds, few
    plain = TrustPathClassifier().fit(X, y)
    missing = y < 0
    with_nan = np.where(missing, np.nan, y)
    objects = np.where(missing, None, y.astype(object))
    series = pd.Series(y, dtype="Int64").mask(missing)
    for other in (with_nan, objects, list(objects), series, y[:, np.newaxis].ravel(), pl.Series(list(objects))):
        fitted = TrustPathClassifier().fit(X, other)
        assert (fitted.credibility_ == plain.credibility_).all()
        assert (fitted.transduction_ == plain.transduction_).all()
    text = np.where(missing, "", names[y])
    for other in (text, text.astype(object), np.where(missing, None, text.astype(object)), pd.Series(text)):
        fitted = TrustPathClassifier().fit(X, other)
        assert fitted.classes_.tolist() == sorted(set(text) - {""})
        assert (fitted.credibility_ == plain.credibility_).all()
        assert (fitted.transduction_ == names[plain.transduction_]).all()


MARKERS = ["unlabeled", "Unlabelled", "unknown", "?", "None", "null", "NULL", "NA", "N/A", "n/a", "-", "-1"]


@pytest.mark.parametrize("marker", MARKERS)
def test_usual_markers_are_missing_labels_and_are_listed(birds, few, marker):
    (_, _, names), (X, y) = birds, few
    text = np.where(y < 0, marker, names[y])
    for other in (text, text.astype(object), list(text), pd.Series(text), pl.Series(list(text))):
        with pytest.warns(UserWarning, match=f"{(y < 0).sum()} labels read as missing: '{re.escape(marker)}'"):
            fitted = TrustPathClassifier().fit(X, other)
        assert fitted.classes_.tolist() == sorted(names)
        assert (fitted.labeled_iter_[y >= 0] == 0).all() and (fitted.labeled_iter_[y < 0] != 0).all()


def test_markers_may_be_changed(few):
    X, y = few
    names = np.array(["auk", "gull", "wren", "tit", "unknown"])[y].astype(object)
    names[y < 0] = "tbd"
    names[0] = "unknown"
    fitted = TrustPathClassifier(missing="tbd").fit(X, names)
    assert fitted.classes_.tolist() == ["auk", "gull", "tit", "unknown", "wren"]
    fitted = TrustPathClassifier(missing=["tbd", "unknown"]).fit(X, names)
    assert fitted.classes_.tolist() == ["auk", "gull", "tit", "wren"]
    assert len(audit(X, names, missing="tbd").ranking) == (y >= 0).sum()
    whole = np.where(y < 0, -2, y)
    assert TrustPathClassifier(missing=-2).fit(X, whole).classes_.tolist() == [0, 1, 2, 3, 4]
    assert TrustPathClassifier().fit(X, np.where(y == 4, -2, y)).classes_.tolist() == [-2, -1, 0, 1, 2, 3]
    mixed = [("?" if label < 0 else int(label)) for label in y]
    with pytest.warns(UserWarning, match="read as missing"):
        assert TrustPathClassifier().fit(X, mixed).classes_.tolist() == [0, 1, 2, 3, 4]


def test_nearly_equal_class_names_are_reported(birds):
    X, truth, names = birds
    text = names[truth].astype(object)
    text[::2] = [name.upper() for name in text[::2]]
    with pytest.warns(UserWarning, match="differ only in case or spaces"):
        TrustPathClassifier().fit(X, text)


def test_numbers_and_empty_labels_are_not_warned_of(birds, few):
    (_, _, names), (X, y) = birds, few
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", message=".*(probably wrong|Nothing is trusted|not detected).*")
        TrustPathClassifier().fit(X, y)
        TrustPathClassifier().fit(X, np.where(y < 0, "", names[y]))
        fitted = TrustPathClassifier().fit(X, np.where(y < 0, "nan", names[y]))
        assert fitted.classes_.tolist() == sorted(names), "as numpy writes missing numbers"


def test_instances_of_unknown_classes_are_marked_as_unlabeled():
    rng = np.random.default_rng(3)
    axes = np.eye(6, 20)
    kind = np.repeat(np.arange(6), 100)
    X = 3 * axes[kind] + 0.25 * np.abs(rng.normal(size=(600, 20)))
    y = np.where((np.arange(600) % 100 < 15) & (kind < 3), kind, -1)
    fitted = TrustPathClassifier().fit(X, y)
    novel = fitted.verdict_ == "none of these"
    # The promise is at most a fifth of false alarms among those that are reported.
    assert novel[kind >= 3].mean() > 0.5 and (kind[novel] < 3).mean() < 0.2
    assert (fitted.transduction_[novel] == -1).all() and (fitted.transduction_[~novel] >= 0).all()
    assert not (TrustPathClassifier(none_of_these=False).fit(X, y).verdict_ == "none of these").any()


def test_without_unlabeled_instances_it_is_a_classifier(birds):
    X, truth, _ = birds
    fitted = TrustPathClassifier().fit(X[::2], truth[::2])
    assert fitted.score(X[1::2], truth[1::2]) > 0.9
    assert (fitted.verdict_ == "given").all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_are_read_where_they_lie(birds, few, dtype, monkeypatch):
    X, y = few
    X = X.astype(dtype)
    seen = []
    real = _trustpath.label
    monkeypatch.setattr(_trustpath, "label", lambda x, *rest: (seen.append(x), real(x, *rest))[1])
    TrustPathClassifier().fit(X, y)
    assert np.shares_memory(seen[0], X)


def test_frames_are_read_and_their_columns_remembered(few):
    X, y = few
    X = X[:, :40]
    columns = [f"f{k}" for k in range(X.shape[1])]
    plain = TrustPathClassifier().fit(X, y)
    for frame in (pd.DataFrame(X, columns=columns), pl.DataFrame(X, schema=columns)):
        fitted = TrustPathClassifier().fit(frame, y)
        assert fitted.feature_names_in_.tolist() == columns and fitted.n_features_in_ == 40
        assert (fitted.credibility_ == plain.credibility_).all()
        assert (fitted.predict(frame) == plain.predict(X)).all()
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(pd.DataFrame(X, columns=columns[::-1]))


def test_it_works_with_the_rest_of_scikit_learn(birds, few):
    (X, truth, _), (_, y) = birds, few
    piped = make_pipeline(StandardScaler(with_mean=False), TrustPathClassifier()).fit(X, y)
    assert piped.score(X, truth) > 0.9
    search = GridSearchCV(TrustPathClassifier(n_jobs=1), {"credibility": [0.3, 0.6]}, cv=3).fit(X, truth)
    assert search.best_score_ > 0.85
    assert cross_val_score(TrustPathClassifier(), X, truth, cv=3, n_jobs=2).min() > 0.8
    original = TrustPathClassifier(precision=0.9, random_state=3).fit(X, y)
    assert clone(original).get_params() == original.get_params()
    copy = pickle.loads(pickle.dumps(original))
    assert (copy.predict_proba(X) == original.predict_proba(X)).all()
    assert (copy.path_.gamma_norm == original.path_.gamma_norm).all()
    with pytest.raises(RuntimeError, match="compute it again"):
        copy.report()


def test_threads_change_no_bit(few):
    X, y = few
    one, two = (TrustPathClassifier(n_jobs=n).fit(X, y) for n in (1, 2))
    assert (one.credibility_ == two.credibility_).all() and (one.path_.gamma_norm == two.path_.gamma_norm).all()


def test_trust_by_precision_and_by_class(few):
    X, y = few
    average = TrustPathClassifier(average=True).fit(X, y)
    with pytest.warns(UserWarning, match="Nothing is trusted yet: it takes 90 % confidence that 90 % are right"):
        by_class = TrustPathClassifier(per_class=True).fit(X, y)
    assert not (by_class.verdict_ == "trusted").any()
    with pytest.warns(UserWarning, match="Nothing is trusted yet"):
        strict = TrustPathClassifier(precision=0.999).fit(X, y)
    assert not (strict.verdict_ == "trusted").any() and strict.promised_precision_ == 0
    assert np.isnan(strict.threshold_) and average.threshold_ > 0
    credible = TrustPathClassifier(credibility=0.6).fit(X, y)
    assert ((credible.credibility_ >= 0.6) == credible.trusted_)[y < 0].all()


def test_what_the_command_advises_is_warned_of(few):
    X, y = few
    _, first = np.unique(y, return_index=True)
    one_each = np.where(np.isin(np.arange(len(y)), first), y, -1)
    with pytest.warns(UserWarning, match="every class has only one"):
        TrustPathClassifier(none_of_these=False).fit(X, one_each)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        TrustPathClassifier().fit(X, np.where(y < 0, 0, y))


def test_the_former_name_of_labeled_iter_works(few):
    fitted = TrustPathClassifier().fit(*few)
    with pytest.warns(FutureWarning, match="labeled_iter_"):
        assert (fitted.labels_iter_ == fitted.labeled_iter_).all()


def test_frames_name_instances_and_classes(birds, few):
    (_, _, names), (X, y) = birds, few
    fitted = TrustPathClassifier(suggest=2).fit(X, np.where(y < 0, "", names[y]))
    ids = [f"bird {row}" for row in range(len(X))]
    frame = fitted.to_frame(ids=ids)
    assert frame["id"].tolist() == ids and frame["label"].tolist() == fitted.transduction_.tolist()
    assert frame["suggested"].count() == 2 and frame["round"].isna()[y >= 0].all()
    assert "nearest labelled: bird " in frame["reason"][1] and "nearest labelled: 0" in " ".join(fitted.reason_)
    new = fitted.predict_frame(X[:3], ids=["x", "y", "z"])
    assert new["id"].tolist() == ["x", "y", "z"] and new["label"].tolist() == fitted.predict(X[:3]).tolist()
    with pytest.raises(ValueError, match="2 names but X has 281"):
        fitted.to_frame(ids=["x", "y"])


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.float64, bool, "U", object])
def test_models_are_saved_and_loaded_with_their_classes(birds, kind, tmp_path):
    X, truth, names = birds
    truth = truth % 2
    y = {"U": names[truth], object: names[truth].astype(object)}.get(kind)
    y = truth.astype(kind) if y is None else y
    columns = [f"f{k}" for k in range(40)]
    fitted = TrustPathClassifier().fit(pd.DataFrame(X[:, :40], columns=columns), y)
    fitted.save(tmp_path / "m.safetensors")
    loaded = TrustPathClassifier.load(tmp_path / "m.safetensors")
    assert loaded.classes_.tolist() == fitted.classes_.tolist() and loaded.classes_.dtype == fitted.classes_.dtype
    new = pd.DataFrame(np.vstack([X[:9, :40], 0 * X[:1, :40]]), columns=columns)
    with pytest.warns(UserWarning, match="the first is 9"):
        assert loaded.predict(new).tolist() == fitted.predict(new).tolist()
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(new[columns[::-1]])
    with pytest.raises(RuntimeError, match="compute it again"):
        loaded.to_frame()
    again = pickle.loads(pickle.dumps(loaded))
    again.save(tmp_path / "again.safetensors")
    assert (tmp_path / "again.safetensors").read_bytes() == (tmp_path / "m.safetensors").read_bytes()


def test_files_that_are_no_models_are_refused(few, tmp_path):
    (tmp_path / "m.safetensors").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="m.safetensors"):
        TrustPathClassifier.load(tmp_path / "m.safetensors")
    with pytest.raises(OSError, match="absent.safetensors"):
        TrustPathClassifier.load(tmp_path / "absent.safetensors")
    with pytest.raises(OSError, match="absent"):
        TrustPathClassifier().fit(*few).save(tmp_path / "absent/m.safetensors")


def test_small_pools_are_exact(few):
    X, y = few
    plain = TrustPathClassifier().fit(X, y)
    assert (TrustPathClassifier(exact=True).fit(X, y).credibility_ == plain.credibility_).all()


def large():
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 10, 6000)
    X = np.abs(rng.normal(size=(6000, 128))) + 2 * np.eye(10, 128)[kind]
    return X, np.where(rng.random(6000) < 0.05, kind, -1)


def test_other_threads_run_during_fit():
    X, y = large()
    ticks, done = [], threading.Event()

    def fit():
        TrustPathClassifier(n_jobs=1).fit(X, y)
        done.set()

    thread = threading.Thread(target=fit)
    start = time.perf_counter()
    thread.start()
    while not done.is_set():
        ticks.append(time.perf_counter())
        time.sleep(0.001)
    thread.join()
    took = time.perf_counter() - start
    assert took > 0.2 and np.diff(ticks).max() < 0.5 * took


def test_an_interrupt_ends_fit():
    program = """
import numpy as np, sys, time, trustpath
rng = np.random.default_rng(0)
kind = rng.integers(0, 10, 30000)
X = np.abs(rng.normal(size=(30000, 256))) + 2 * np.eye(10, 256)[kind]
print("fitting", flush=True)
try:
    trustpath.TrustPathClassifier().fit(X, np.where(rng.random(30000) < 0.01, kind, -1))
    print("done", flush=True)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert run.stdout.readline() == "fitting\n"
    time.sleep(1.0)
    sent = time.perf_counter()
    run.send_signal(signal.SIGINT)
    assert run.stdout.readline() == "interrupted\n"
    assert time.perf_counter() - sent < 5
    run.kill()
    run.wait()


BAD = {
    "text": (lambda X, y: (X.astype(str)[:, :2] + "x", y), ValueError, "could not convert"),
    "one axis": (lambda X, y: (X[:, 0], y), ValueError, "Expected 2D array"),
    "three axes": (lambda X, y: (X[:, :, None], y), ValueError, "dim 3"),
    "no rows": (lambda X, y: (X[:0], y[:0]), ValueError, "0 sample"),
    "no columns": (lambda X, y: (X[:, :0], y), ValueError, "0 feature"),
    "nan": (lambda X, y: (np.where(X == X.max(), np.nan, X), y), ValueError, "NaN"),
    "infinite": (lambda X, y: (np.where(X == X.max(), np.inf, X), y), ValueError, "infinity"),
    "sparse": (lambda X, y: (scipy.sparse.csr_matrix((10**6, 10**6)), y), ValueError, "Sparse.*GiB.*TruncatedSVD"),
    "fewer labels": (lambda X, y: (X, y[:-1]), ValueError, "280 labels but X has 281"),
    "no label": (lambda X, y: (X, np.full(len(y), -1)), ValueError, "no label at all"),
    "no text": (lambda X, y: (X, np.full(len(y), "")), ValueError, "no label at all"),
    "one class": (lambda X, y: (X, np.where(y == 0, 0, -1)), ValueError, "one class only"),
    "mixed": (lambda X, y: (X, ["a", 3] + [None] * 279), TypeError, "y mixes labels"),
    "fractions": (lambda X, y: (X, y + 0.5), ValueError, "Unknown label type"),
    "y with two columns": (lambda X, y: (X, np.stack([y, y], 1)), ValueError, "1d array"),
    "identical": (lambda X, y: (np.ones_like(X), y), ValueError, "identical"),
    "zeros": (lambda X, y: (np.zeros_like(X), y), ValueError, "zero vector"),
    "dates": (lambda X, y: (X, np.full(len(y), "2024-01-01", "M8[D]")), TypeError, "labels of type"),
}


@pytest.mark.parametrize("case", BAD)
@pytest.mark.filterwarnings("ignore:.*all zeros")
def test_bad_input_is_answered_in_a_sentence(few, case):
    change, error, sentence = BAD[case]
    with pytest.raises(error, match=sentence):
        TrustPathClassifier().fit(*change(*few))


@pytest.mark.parametrize(
    "params, error, sentence",
    [
        ({"credibility": 1.5}, ValueError, "credibility = 1.5 is not usable"),
        ({"credibility": "high"}, TypeError, "credibility = 'high'"),
        ({"precision": 0.0}, ValueError, "precision = 0"),
        ({"precision": 0.9, "credibility": 0.6}, ValueError, "give only one of"),
        ({"average": True, "confidence": 0.8}, ValueError, "has no confidence"),
        ({"labeller": "me"}, ValueError, "choose one of auto, rounds, no-rounds"),
        ({"folds": 1}, ValueError, "folds = 1"),
        ({"suggest": 2.5}, TypeError, "suggest = 2.5"),
        ({"n_jobs": 0}, ValueError, "n_jobs = 0"),
        ({"random_state": -1}, ValueError, "random_state = -1"),
    ],
)
def test_bad_parameters_are_answered_in_a_sentence(few, params, error, sentence):
    with pytest.raises(error, match=sentence):
        TrustPathClassifier(**params).fit(*few)


def test_arguments_and_defaults_are_those_of_the_command():
    arguments = TrustPathClassifier().get_params()
    assert arguments.pop("n_jobs") is None and arguments.pop("none_of_these") is True
    assert arguments.pop("missing") is None, "an option of reading"
    assert arguments.pop("warm_start") is False
    for name, default in _trustpath.label_options():
        if name != "closed":
            value = arguments.pop({"seed": "random_state"}.get(name, name))
            own = {"seed": None}.get(name, value)
            assert value == own and default in (str(value).lower(), "none", "0"), name
    assert not arguments


def test_instances_without_direction_are_warned_of(few):
    X, y = few
    X = X.copy()
    X[7] = 0
    with pytest.warns(UserWarning, match="the first is 7"):
        fitted = TrustPathClassifier().fit(X, y)
    with pytest.warns(UserWarning, match="the first is 1"):
        assert fitted.predict(np.stack([X[0], 0 * X[0]])).shape == (2,)
    with pytest.warns(UserWarning, match="-1 and 1 are read as two classes"):
        signed = TrustPathClassifier().fit(few[0][:100], np.where(np.arange(100) < 50, -1, 1))
    assert signed.classes_.tolist() == [-1, 1]
