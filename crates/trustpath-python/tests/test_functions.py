"""The functions."""

import importlib.metadata
import inspect
import pickle
import sys

import numpy as np
import pytest
import scipy.sparse

import trustpath


@pytest.fixture(scope="module")
def coordinates(birds):
    X, y, _ = birds
    return trustpath.reduce(X, "pca", dim=5), y


def test_icic_has_the_prices_of_glmnet_or_of_the_paper(coordinates):
    X, y = coordinates
    X = np.asarray(X) * np.linspace(1, 30, np.asarray(X).shape[1])
    glmnet, paper = (trustpath.credibility(X, y, model="icic", scaling=s)["vanish"] for s in ("glmnet", "paper"))
    np.testing.assert_array_equal(glmnet, trustpath.credibility(X, y, model="icic")["vanish"])
    assert not np.allclose(glmnet / glmnet.max(), paper / paper.max())
    with pytest.raises(ValueError, match="'glmnet' or 'paper'"):
        trustpath.credibility(X, y, model="icic", scaling="none")


def test_credibility_solves_the_regression_with_incidental_parameters(coordinates):
    X, y = coordinates
    found = trustpath.credibility(X, y, points=20, ratio=0.05, gamma=True, certificate=True)
    assert found["certificate"].max() < 1e-9
    np.testing.assert_allclose(found["credibility"], np.maximum(0, 1 - found["vanish"] / np.sqrt(2)))
    # λ_max is the largest residual of least squares, and ‖γ‖ at λ what a solver of another kind finds.
    Y = np.eye(5)[y]
    residual = Y - X @ np.linalg.lstsq(X, Y, rcond=None)[0]
    np.testing.assert_allclose(found["lambda"][0], np.linalg.norm(residual, axis=1).max(), rtol=1e-10)
    at = 10
    lam = found["lambda"][at]
    gamma = np.zeros_like(Y)
    for _ in range(20000):
        rest = Y - X @ np.linalg.lstsq(X, Y - gamma, rcond=None)[0]
        norm = np.linalg.norm(rest, axis=1, keepdims=True)
        new = np.maximum(0, 1 - lam / norm) * rest
        if np.abs(new - gamma).max() < 1e-13:
            break
        gamma = new
    np.testing.assert_allclose(found["gamma_norm"][at], np.linalg.norm(gamma, axis=1), atol=1e-8)


def test_models_penalties_and_roots(coordinates):
    X, y = coordinates
    plain = trustpath.credibility(X, y)
    read_off = trustpath.credibility(X, y, roots="interpolated")
    # Between two lambdas the path has kinks, of relative size 1/n.
    assert 0 < np.abs(plain["vanish"] - read_off["vanish"]).max() < plain["lambda"][0] / len(X)
    for options in ({"penalty": "elementwise"}, {"model": "icic"}, {"model": "icic", "penalty": "group"}):
        other = trustpath.credibility(X, y, points=30, **options)
        assert np.corrcoef(plain["credibility"], other["credibility"])[0, 1] > 0.5, options
    assert (trustpath.credibility(X.astype(np.float32), y)["vanish"] != plain["vanish"]).any()


def test_an_audit_finds_flipped_labels_and_leaves_the_unlabeled_out(birds):
    X, truth, names = birds
    y = names[truth].astype(object)
    flipped = np.arange(3, 281, 31)
    y[flipped] = names[(truth[flipped] + 2) % 5]
    y[[0, 150]] = None
    found = trustpath.audit(X, y)
    assert (found.suspect == found["suspect"]).all() and (found.lambdas == found["lambda"]).all()
    items = {"credibility", "suggested", "suggested_credibility", "score", "probability_wrong", "suspect", "ranking", "lambda"}
    assert set(found) == items
    count, low, high = found.wrong
    assert low <= count <= high and low <= len(flipped) <= high and found.precision_of_suspects >= 0.8
    assert any("labels are wrong" in note for note in found.notes)
    checked = {int(row): names[truth[row]] for row in found.ranking[:12]}
    again = trustpath.audit(X, y, verified=checked, precision=0.7)
    assert not again.suspect[list(checked)].any() and set(again.ranking[-12:]) == set(checked)
    for row, label in checked.items():
        assert again.probability_wrong[row] == (label != y[row])
    for nonsense, error in (({0: names[0]}, ValueError), ({5: "puffin"}, ValueError), ([5], TypeError), ({True: names[0]}, ValueError)):
        with pytest.raises(error, match="verified"):
            trustpath.audit(X, y, verified=nonsense)
    assert trustpath.audit(X[:60], y[:60]).wrong is None
    frame = found.to_frame(ids=[f"bird {row}" for row in range(281)])
    assert frame["id"].tolist() == [f"bird {row}" for row in found.ranking]
    assert frame["suggested"].tolist() == found.suggested[found.ranking].tolist()
    copy = pickle.loads(pickle.dumps(found))
    assert (copy.ranking == found.ranking).all()
    with pytest.raises(RuntimeError, match="compute it again"):
        copy.to_frame()
    assert len(found["ranking"]) == 279 and not {0, 150} & set(found["ranking"])
    assert np.isnan(found["credibility"][[0, 150]]).all() and not found["suspect"][[0, 150]].any()
    assert found["suggested"][150] == ""
    assert np.isin(flipped, found["ranking"][:15]).mean() > 0.7
    assert (found["suggested"][flipped] == names[truth[flipped]]).mean() > 0.8


@pytest.mark.parametrize("method", ["lle", "ltsa", "isomap", "se", "pca", "mds"])
def test_reductions(birds, method):
    X = birds[0][:60]
    reduced = trustpath.reduce(X, method, dim=3)
    assert reduced.shape == (60, 3) and np.isfinite(reduced).all()


def test_evaluation_repeats_and_depends_on_no_thread(birds):
    X, y, names = birds
    one = trustpath.evaluate(X, y, way=3, episodes=12, n_jobs=1)
    two = trustpath.evaluate(X, names[y], way=3, episodes=12, n_jobs=2)
    assert one["accuracy"] == two["accuracy"]
    assert one["accuracy"]["final"]["episodes"] == 12
    other = trustpath.evaluate(X, y, way=3, episodes=12, method="pt-map")
    assert set(other["accuracy"]) == {"final"}
    semi = trustpath.evaluate(X, y, way=3, episodes=5, setting="semi", unlabeled=10, distractors=(2, 5), cap=10)
    assert 0.3 < semi["accuracy"]["final"]["mean"] <= 1


def test_bad_input_is_answered_in_a_sentence(birds):
    X, y, names = birds
    cases = [
        (lambda: trustpath.credibility(X[:, :3], np.where(y == 0, -1, y)), ValueError, "no label for instance 0"),
        (lambda: trustpath.credibility(X[:, :3], y, model="svm"), ValueError, "'icir' or 'icic'"),
        (lambda: trustpath.credibility(X[:, :3], y, penalty="ridge"), ValueError, "'group' or 'elementwise'"),
        (lambda: trustpath.credibility(X[:, :3], y, points=1), ValueError, "points = 1"),
        (lambda: trustpath.credibility(X[:, :3], y, ratio=2), ValueError, "ratio = 2"),
        (lambda: trustpath.credibility(X[:, :3], y, roots="guess"), ValueError, "roots = 'guess'"),
        (lambda: trustpath.credibility(X[:, :3] * np.nan, y), ValueError, "NaN"),
        (lambda: trustpath.audit(scipy.sparse.csr_matrix((10**6, 10**6)), y), ValueError, "TruncatedSVD"),
        (lambda: trustpath.audit(np.vstack([X[:5], 0 * X[:1]]), list("aabbab")), ValueError, "instance 5 is the zero"),
        (lambda: trustpath.audit([], []), ValueError, "Expected 2D"),
        (lambda: trustpath.reduce(X, "umap"), ValueError, "choose one of lle"),
        (lambda: trustpath.reduce(X[:4]), ValueError, "5 neighbours"),
        (lambda: trustpath.reduce(X, dim=-1), ValueError, "dim = -1"),
        (lambda: trustpath.reduce(X, dim=1.5), TypeError, "dim = 1.5"),
        (lambda: trustpath.evaluate(X, y, way=9), ValueError, "9 ways"),
        (lambda: trustpath.evaluate(X, y, shot=500), ValueError, "500 support"),
        (lambda: trustpath.evaluate(X, y, way=1), ValueError, "way = 1"),
        (lambda: trustpath.evaluate(X, y, method="magic"), ValueError, "choose one of icir"),
        (lambda: trustpath.evaluate(X, y, method="pt-map", step=3), ValueError, "its own parameters"),
        (lambda: trustpath.evaluate(X, y, colour="red"), TypeError, "colour is not an option"),
        (lambda: trustpath.evaluate(X, y, setting="magic"), ValueError, "'inductive'"),
        (lambda: trustpath.evaluate(X, y, selector="best"), ValueError, "ici, ra"),
        (lambda: trustpath.evaluate(X, y, episodes=0), ValueError, "episodes = 0"),
        (lambda: trustpath.report(X, y, ids=["a"]), ValueError, "1 names but X has 281"),
        (lambda: trustpath.report(X, y, ids=["a"] * 281), ValueError, "the same name"),
        (lambda: trustpath.report(X, y, kind="poem"), ValueError, "'label' or 'audit'"),
        (lambda: trustpath.load_dataset("imagenet"), ValueError, "cifar-fs, cub"),
        (lambda: trustpath.load_dataset("cub", "train"), ValueError, "'novel' or 'validation'"),
    ]
    for number, (call, error, sentence) in enumerate(cases):
        with pytest.raises(error, match=sentence):
            call()
            pytest.fail(f"case {number} passed")


def test_defaults_of_the_signature_are_those_of_the_engine(birds):
    X, y, names = birds
    parameters = inspect.signature(trustpath.evaluate).parameters
    options = {name: p.default for name, p in parameters.items() if p.kind is p.KEYWORD_ONLY and name != "episodes"}
    run = trustpath._trustpath.evaluate
    assert run(X, y, list(names), {}, 0, 3) == run(X, y, list(names), options, 0, 3)


def test_the_version_is_that_of_the_package():
    assert trustpath.__version__ == importlib.metadata.version("trustpath")


def test_without_pandas_frames_say_what_is_missing(few, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        trustpath.TrustPathClassifier().fit(*few).to_frame()


def test_a_report_shows_itself_in_a_frame(few, tmp_path):
    X, y = few
    page = trustpath.report(X[:120], y[:120], source='birds "<&>"')
    assert isinstance(page, str) and page.startswith("<!DOCTYPE html>")
    shown = page._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "<script" not in shown and 'sandbox="allow-scripts' in shown
    assert page.save(tmp_path / "page.html").read_text() == page
    assert len(repr(page)) < 200
