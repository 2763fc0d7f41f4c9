"""The package and the command say the same, bit for bit."""

import csv
import json
import subprocess

import numpy as np
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


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("options", [{}, {"precision": 0.8}, {"labeller": "adaptive", "none_of_these": False}])
def test_labels(files, named, options):
    folder, X, truth, y, names, run = files
    y = np.where(y < 0, "", names[y]) if named else y
    (folder / "labels.txt").write_text("\n".join("" if v in ("", -1) else str(v) for v in y.tolist()) + "\n")
    flags = {"precision": ["--precision", "0.8"], "labeller": ["--labeller", "adaptive", "--closed"]}
    chosen = [flag for name in options for flag in flags.get(name, [])]
    run(
        "label", "X.npy", "--labels", "labels.txt", "--out", "out.csv", "--report", "page.html",
        "--model", "model.safetensors", "--suggest", "5", "--quiet", *chosen,
    )
    fitted = trustpath.TrustPathClassifier(suggest=5, **options).fit(X, y)
    rows = table(folder / "out.csv")
    assert [float(row["credibility"]) for row in rows] == fitted.credibility_.tolist()
    assert [float(row["probability"]) for row in rows] == fitted.probability_.tolist()
    assert [row["verdict"] for row in rows] == fitted.verdict_.tolist()
    assert [row["label"] for row in rows] == [str(v) if v != -1 else "" for v in fitted.transduction_.tolist()]
    ranks = {int(row["suggested"]): int(row["id"]) for row in rows if row["suggested"]}
    assert [ranks[k + 1] for k in range(5)] == fitted.suggestions_.tolist()
    rounds = [int(row["round"]) if row["round"] else -1 for row in rows]
    assert np.where(y == fitted.transduction_.dtype.type(-1 if not named else ""), rounds, 0).tolist() == (
        fitted.labels_iter_.tolist()
    )
    page = trustpath.report(X, y, source="X.npy", suggest=5, **options)
    assert page == (folder / "page.html").read_text()
    run("predict", "model.safetensors", "X.npy", "--out", "new.csv", "--quiet")
    rows = table(folder / "new.csv")
    assert [row["label"] for row in rows] == [str(v) for v in fitted.predict(X).tolist()]
    credible, _ = fitted.predict_credibility(X)
    assert [float(row["credibility"]) for row in rows] == credible.tolist()


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
    assert trustpath.report(X, y, kind="audit", source="X.npy") == (folder / "audit.html").read_text()


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
