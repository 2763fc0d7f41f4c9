"""Results of the package and of the command are the same, bit for bit."""

import csv
import json
import re
import subprocess
import warnings

import numpy as np
import pandas as pd
import pytest

import trustpath


@pytest.fixture(scope="module")
def files(command, tmp_path_factory, birds):
    folder = tmp_path_factory.mktemp("command")
    data, target, names = trustpath.load_dataset("cub")
    rows = target < 12
    X, truth = data[rows], target[rows]
    np.save(folder / "X.npy", X)
    y = np.where(np.arange(len(truth)) % 12 == 0, truth, -1)

    def run(*arguments):
        out = subprocess.run([command, *arguments], cwd=folder, capture_output=True, text=True, check=True)
        return out.stdout

    return folder, X, truth, y, names, run


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def same_table(frame, path):
    """Whether a data frame has the columns and values of a csv file, read as texts."""
    rows = table(path)
    assert frame.columns.tolist() == list(rows[0])
    for name in frame:
        texts = ["" if pd.isna(value) or value == -1 else value for value in frame[name].tolist()]
        if frame[name].dtype.kind == "f":
            assert [float(row[name]) for row in rows] == texts, name
        else:
            assert [row[name] for row in rows] == [str(text) for text in texts], name
    return True


def in_python(page):
    """A page of the command with options spelled as in Python."""
    return re.sub(
        r"--(precision|credibility|per-class|average|suggest)( (?=\d))?",
        lambda found: found[1].replace("-", "_") + ("=" if found[2] else ""),
        page,
    )


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(
    "options, flags",
    [
        ({}, []),
        ({"precision": 0.8}, ["--precision", "0.8"]),
        ({"precision": 0.99, "labeller": "rounds"}, ["--precision", "0.99", "--labeller", "rounds"]),
        ({"labeller": "adaptive", "none_of_these": False, "exact": True}, ["--labeller", "adaptive", "--closed", "--exact"]),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_labels(files, named, options, flags):
    folder, X, truth, y, names, run = files
    y = np.where(y < 0, "", names[y]) if named else y
    (folder / "labels.txt").write_text("\n".join("" if v in ("", -1) else str(v) for v in y.tolist()) + "\n")
    printed = run(
        "label", "X.npy", "--labels", "labels.txt", "--out", "out.csv", "--report", "page.html",
        "--model", "model.safetensors", "--suggest", "5", "--quiet", *flags,
    )
    with warnings.catch_warnings(record=True) as notes:
        warnings.simplefilter("always")
        fitted = trustpath.TrustPathClassifier(suggest=5, **options).fit(X, y)
    assert all(str(note.message) in in_python(printed) for note in notes)
    unsupported = any("Nothing is trusted" in str(note.message) for note in notes)
    assert unsupported == ("Nothing is trusted" in printed)
    assert unsupported or options.get("precision") != 0.99
    rows = table(folder / "out.csv")
    assert [float(row["credibility"]) for row in rows] == fitted.credibility_.tolist()
    assert [float(row["probability"]) for row in rows] == fitted.probability_.tolist()
    assert [row["verdict"] for row in rows] == fitted.verdict_.tolist()
    assert [row["reason"] for row in rows] == fitted.reason_.tolist()
    assert [row["label"] for row in rows] == [str(v) if v != -1 else "" for v in fitted.transduction_.tolist()]
    ranks = {int(row["suggested"]): int(row["id"]) for row in rows if row["suggested"]}
    assert [ranks[k + 1] for k in range(5)] == fitted.suggestions_.tolist()
    rounds = [int(row["round"]) if row["round"] else -1 for row in rows]
    given = y != ("" if named else -1)
    assert np.where(given, 0, rounds).tolist() == fitted.labeled_iter_.tolist()
    assert same_table(fitted.to_frame(), folder / "out.csv")
    page = fitted.report(source="X.npy")
    assert page == in_python((folder / "page.html").read_text())
    assert page == trustpath.report(X, y, source="X.npy", suggest=5, **options)

    # The model of the command predicts in Python, and that of Python by the command.
    run("predict", "model.safetensors", "X.npy", "--out", "new.csv", "--quiet")
    assert same_table(fitted.predict_frame(X), folder / "new.csv")
    loaded = trustpath.TrustPathClassifier.load(folder / "model.safetensors")
    assert loaded.classes_.tolist() == [str(label) for label in fitted.classes_]
    assert (loaded.predict(X) == fitted.predict(X).astype(str)).all()
    assert (loaded.predict_proba(X) == fitted.predict_proba(X)).all()
    assert (loaded.predict_credibility(X)[0] == fitted.predict_credibility(X)[0]).all()
    fitted.save(folder / "python.safetensors")
    run("predict", "python.safetensors", "X.npy", "--out", "again.csv", "--quiet")
    assert (folder / "again.csv").read_text() == (folder / "new.csv").read_text()


def test_audits(files):
    folder, X, truth, _, names, run = files
    y = truth.copy()
    y[::17] = (y[::17] + 1) % 12
    (folder / "given.txt").write_text("\n".join(map(str, y.tolist())) + "\n")
    run("audit", "X.npy", "--labels", "given.txt", "--out", "audit.csv", "--report", "audit.html", "--quiet")
    found = trustpath.audit(X, y)
    rows = table(folder / "audit.csv")
    ranking = [int(row["id"]) for row in rows]
    assert ranking == found["ranking"].tolist()
    for name in ("credibility", "suggested_credibility"):
        assert [float(row[name]) for row in rows] == found[name][ranking].tolist()
    assert [int(row["suggested"]) for row in rows] == found["suggested"][ranking].tolist()
    assert [row["verdict"] == "suspect" for row in rows] == found["suspect"][ranking].tolist()
    assert same_table(found.to_frame(), folder / "audit.csv")
    assert found.report(source="X.npy") == (folder / "audit.html").read_text()
    assert trustpath.report(X, y, kind="audit", source="X.npy", exact=True) == found.report(source="X.npy")


@pytest.mark.parametrize(
    "flags, options",
    [
        ([], {}),
        (["--shot", "5", "--way", "7", "--seed", "3"], {"shot": 5, "way": 7, "seed": 3}),
        (
            ["--setting", "semi", "--unlabeled", "left:25", "--distractors", "2:7", "--cap", "10", "--selector", "co"],
            {"setting": "semi", "unlabeled": 25, "up_to": True, "distractors": (2, 7), "cap": 10, "selector": "co"},
        ),
        (["--method", "adaptive", "--dirichlet", "2"], {"method": "adaptive", "dirichlet": 2.0}),
        (["--method", "icic", "--reduction", "pca", "--classifier", "svm", "--dim", "6"],
         {"method": "icic", "reduction": "pca", "classifier": "svm", "dim": 6}),
    ],
)
def test_episodes(files, flags, options):
    _, _, _, _, _, run = files
    said = json.loads(run("bench", "--dataset", "cub", "--episodes", "20", "--json", "--quiet", *flags))
    data, target, names = trustpath.load_dataset("cub")
    found = trustpath.evaluate(data, names[target], episodes=20, **options)
    assert [score["accuracies"] for score in said["scores"]] == [scores.tolist() for scores in found["scores"]]
    assert said["accuracy"] == found["accuracy"]
