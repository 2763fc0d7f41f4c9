"""A pool that is labelled again, with more labels or more instances."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import trustpath
from trustpath import TrustPathClassifier, _trustpath


@pytest.fixture(scope="module")
def pool():
    birds = trustpath.load_dataset("cub")
    rows = birds.target % 10 == 0
    X, truth = birds.data[rows], birds.target_names[birds.target[rows]]
    order = np.random.default_rng(0).permutation(len(X))
    return np.ascontiguousarray(X[order]), truth[order]


def known(truth, every):
    return np.where(np.arange(len(truth)) % every == 0, truth, "")


def same(a, b):
    for name in ("transduction_", "probability_", "credibility_", "verdict_", "suggestions_"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), err_msg=name)
    np.testing.assert_array_equal(a.path_.gamma_norm, b.path_.gamma_norm)


def test_a_warm_start_gives_the_same_and_represents_once(pool, monkeypatch):
    X, truth = pool
    made = []
    represent = _trustpath.represent_pool
    monkeypatch.setattr(_trustpath, "represent_pool", lambda *given: made.append(1) or represent(*given))
    warm = TrustPathClassifier(warm_start=True, suggest=5)
    for every in (12, 8, 5):
        same(warm.fit(X, known(truth, every)), TrustPathClassifier(suggest=5).fit(X, known(truth, every)))
    assert len(made) == 1
    # Other instances, another type and another way to find neighbours are represented anew.
    changed = X.copy()
    changed[3, 7] += 1
    same(warm.fit(changed, known(truth, 5)), TrustPathClassifier(suggest=5).fit(changed, known(truth, 5)))
    warm.fit(changed.astype(np.float64), known(truth, 5))
    warm.set_params(exact=True).fit(changed.astype(np.float64), known(truth, 5))
    assert len(made) == 4


def test_instances_are_added(pool, tmp_path):
    X, truth = pool
    y = known(truth, 8)
    both = TrustPathClassifier().fit(X, y)
    first = TrustPathClassifier(warm_start=True).fit(X[:250], y[:250])
    first.save(tmp_path / "pool.safetensors", keep_pool=True)
    same(first.update(X[250:], y[250:]), both)
    loaded = TrustPathClassifier.load(tmp_path / "pool.safetensors")
    same(loaded.update(X[250:], list(y[250:])), both)
    np.testing.assert_array_equal(loaded.predict(X[:40]), both.predict(X[:40]))
    # Without labels of their own.
    unlabelled = np.where(np.arange(len(X)) < 250, y, "")
    more = TrustPathClassifier.load(tmp_path / "pool.safetensors").update(X[250:])
    same(more, TrustPathClassifier().fit(X, unlabelled))
    # The command adds to the same file, and Python to one of the command.
    np.save(tmp_path / "new.npy", X[250:])
    run = [sys.executable, "-m", "trustpath", "label", "new.npy", "--update", "pool.safetensors", "--out", "both.csv"]
    run += ["--model", "by-command.safetensors", "--keep-pool", "--quiet"]
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)
    kept = trustpath._trustpath.Model.load(tmp_path / "by-command.safetensors").pool()
    np.testing.assert_array_equal(kept[0], X)
    again = TrustPathClassifier.load(tmp_path / "by-command.safetensors")
    assert again._pool.X.shape == X.shape


def test_numbers_and_new_classes(pool):
    X, truth = pool
    codes = np.unique(truth, return_inverse=True)[1]
    old, new = codes[:200], codes[200:]
    y = np.where((np.arange(200) % 4 == 0) & (old > 0), old, -1)
    added = np.where(np.arange(len(new)) % 4 == 0, new, -1)
    updated = TrustPathClassifier(warm_start=True).fit(X[:200], y).update(X[200:], added)
    same(updated, TrustPathClassifier().fit(X, np.concatenate((y, added))))
    assert updated.classes_[0] == 0, "a class that only the new instances have"


def test_what_was_not_kept_cannot_be_added_to(pool, tmp_path):
    X, truth = pool
    y = known(truth, 8)
    cold = TrustPathClassifier().fit(X, y)
    for refuse in (lambda: cold.update(X[:3]), lambda: cold.save(tmp_path / "m.safetensors", keep_pool=True)):
        with pytest.raises(ValueError, match="warm_start=True"):
            refuse()
    warm = TrustPathClassifier(warm_start=True).fit(X, y)
    with pytest.raises(ValueError, match="features"):
        warm.update(X[:3, :40])
    with pytest.raises(ValueError, match="2 labels but X has 3 instances"):
        warm.update(X[:3], ["a", "b"])
    with pytest.raises(ValueError, match="were not kept"):
        pickle.loads(pickle.dumps(warm)).update(X[:3])


def test_an_array_that_is_changed_in_place_is_another_one(pool):
    X, truth = pool
    mine, y = X.copy(), known(truth, 8)
    warm = TrustPathClassifier(warm_start=True).fit(mine, y)
    mine[3, 7] += 1
    same(warm.fit(mine, known(truth, 5)), TrustPathClassifier().fit(mine, known(truth, 5)))
    # What is added to, too, is the pool of fit and not what became of its array.
    warm.fit(mine, y)
    kept = mine.copy()
    mine -= mine.mean(axis=0)
    both = np.concatenate((kept, X[:20]))
    same(warm.update(X[:20]), TrustPathClassifier().fit(both, np.concatenate((y, [""] * 20))))


def test_a_loaded_pool_is_added_to_again_and_again(pool, tmp_path):
    X, truth = pool
    y = known(truth, 8)
    first = TrustPathClassifier(warm_start=True).fit(X[:200], y[:200])
    first.save(tmp_path / "pool.safetensors", keep_pool=True)
    loaded = TrustPathClassifier.load(tmp_path / "pool.safetensors")
    assert loaded.warm_start and not TrustPathClassifier.load(saved_without_pool(first, tmp_path)).warm_start
    loaded.save(tmp_path / "unchanged.safetensors", keep_pool=True)
    loaded.update(X[200:250], y[200:250])
    loaded.save(tmp_path / "more.safetensors", keep_pool=True)
    both = TrustPathClassifier().fit(X, y)
    for classifier in (loaded, TrustPathClassifier.load(tmp_path / "more.safetensors")):
        same(classifier.update(X[250:], y[250:]), both)
    unchanged = TrustPathClassifier.load(tmp_path / "unchanged.safetensors")
    same(unchanged.update(X[200:], y[200:]), both)


def saved_without_pool(classifier, folder):
    classifier.save(folder / "without-pool.safetensors")
    return folder / "without-pool.safetensors"


def test_names_and_the_representation_of_a_loaded_pool_are_kept(tmp_path):
    words = {"cat": "fur purr meow milk claw mouse", "car": "wheel engine road fuel brake gear"}
    rng = np.random.default_rng(1)
    kinds = np.array(["cat", "car"])[np.arange(60) % 2]
    texts = [" ".join(rng.choice(words[kind].split(), 4)) for kind in kinds]
    y = np.where(np.arange(60) < 12, kinds, "")
    lines = [f"{'41' if row == 3 else f'note {row}'},{text},{label}" for row, (text, label) in enumerate(zip(texts, y))]
    (tmp_path / "notes.csv").write_text("id,text,label\n" + "\n".join(lines[:40]) + "\n")
    run = [sys.executable, "-m", "trustpath", "label", "notes.csv", "--text", "text", "--labels", "notes.csv", "--out", "out.csv"]
    run += ["--backbone", "tf-idf", "--model", "notes.safetensors", "--keep-pool", "--quiet"]
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)
    loaded = TrustPathClassifier.load(tmp_path / "notes.safetensors")
    loaded.update(loaded._pool.X[:2]).save(tmp_path / "more.safetensors", keep_pool=True)
    again = TrustPathClassifier.load(tmp_path / "more.safetensors")
    assert (again.predict(texts[40:]) == kinds[40:]).all()
    ids = again._model.pool()[2]
    assert ids[:5] == ["note 0", "note 1", "note 2", "41", "note 4"] and ids[40:] == ["40", "41-2"]


def test_rows_of_zeros_are_replaced_by_the_mean_of_all(pool):
    X, truth = pool
    X, y = X.copy(), known(truth, 8)
    X[11] = 0
    with pytest.warns(UserWarning, match="all zeros"):
        both = TrustPathClassifier().fit(X, y)
        warm = TrustPathClassifier(warm_start=True).fit(X[:250], y[:250])
        same(warm.update(X[250:], y[250:]), both)


def test_labels_of_chosen_instances_check_nothing(pool, tmp_path):
    X, truth = pool
    y = known(truth, 4)
    assert TrustPathClassifier().fit(X, y, origins=np.full(len(X), None)).trusted_.mean() > 0.5
    with pytest.warns(UserWarning, match="Nothing is trusted"):
        both = TrustPathClassifier().fit(X, y, origins=["chosen"] * len(X))
        first = TrustPathClassifier(warm_start=True).fit(X[:250], y[:250], origins=["chosen"] * 250)
        first.save(tmp_path / "pool.safetensors", keep_pool=True)
        origins = ["chosen"] * (len(X) - 250)
        same(first.update(X[250:], y[250:], origins), both)
        same(TrustPathClassifier.load(tmp_path / "pool.safetensors").update(X[250:], list(y[250:]), origins), both)
    with pytest.raises(ValueError, match="origin of instance 1 is 'Spain'"):
        TrustPathClassifier().fit(X, y, origins=["random", "Spain"] + [None] * (len(X) - 2))
    with pytest.raises(ValueError, match="origins has 2 names"):
        TrustPathClassifier().fit(X, y, origins=["random"] * 2)
