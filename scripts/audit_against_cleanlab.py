"""`trustpath audit` and cleanlab on the same labels with the same mistakes.

    cargo build --release --bin trustpath
    pip install numpy scikit-learn cleanlab
    python scripts/audit_against_cleanlab.py FOLDER [LARGEST]

FOLDER holds features, NAME.npy, beside their labels, NAME-labels.npy; names that end in -test are left out. For every set, size, kind of noise
and share of wrong labels the script draws classes, rows and mistakes from a seed, runs `trustpath audit` (TRUSTPATH_BINARY, else
target/release/trustpath) on them, and cleanlab's default: label quality scores (self-confidence) and find_label_issues on the probabilities of a
5-fold cross-validated logistic regression of scikit-learn with its default options. It prints one line per cell, the mean over the draws (fewer for
more labels), and at the end the mean over all cells.
"""

import csv
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from cleanlab.filter import find_label_issues
from cleanlab.rank import get_label_quality_scores
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

# Labels, classes at most, draws.
SIZES = [(50, 5, 6), (100, 10, 6), (200, 10, 6), (500, 20, 4), (2000, 40, 2), (10_000, 100, 1)]
BINARY = os.environ.get("TRUSTPATH_BINARY", str(Path(__file__).parent.parent / "target/release/trustpath"))


def draw(features, labels, size, classes, noise, share, seed):
    """Features, true labels and labels of which a share is wrong."""
    random = np.random.default_rng([seed, size])
    names = np.unique(labels)
    names = random.permutation(names)[: min(classes, len(names))]
    parts = [random.permutation(np.flatnonzero(labels == name))[: size // len(names)] for name in names]
    rows = np.concatenate(parts)
    truth = np.concatenate([np.full(len(part), k) for k, part in enumerate(parts)])
    x = features[rows].astype(np.float32)
    wrong = random.permutation(len(rows))[: round(share * len(rows))]
    given = truth.copy()
    if noise == "random":
        given[wrong] = (truth[wrong] + random.integers(1, len(names), len(wrong))) % len(names)
    else:
        unit = x / np.linalg.norm(x, axis=1, keepdims=True)
        means = np.array([unit[truth == k].mean(0) for k in range(len(names))]) - unit.mean(0)
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        cosine = means @ means.T
        np.fill_diagonal(cosine, -2)
        given[wrong] = cosine.argmax(1)[truth[wrong]]
    return x, truth, given


def by_trustpath(folder, x, given):
    """The score of every label, whether it is a suspect, and how many are estimated to be wrong."""
    np.save(folder / "x.npy", x)
    np.save(folder / "y.npy", given)
    command = [BINARY, "audit", "x.npy", "--labels", "y.npy", "--out", "out.csv", "--quiet"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    score, suspect, wrong = np.zeros(len(x)), np.zeros(len(x), bool), 0.0
    with open(folder / "out.csv", newline="") as file:
        for row in csv.DictReader(file):
            score[int(row["id"])] = float(row["score"])
            suspect[int(row["id"])] = row["verdict"] == "suspect"
            wrong += float(row.get("probability_wrong") or "nan")
    return score, suspect, wrong


def by_cleanlab(x, given):
    """The same by cleanlab, whose issues are those that it finds."""
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        p = cross_val_predict(LogisticRegression(max_iter=300), x, given, cv=folds, method="predict_proba")
    issues = find_label_issues(given, p)
    return -get_label_quality_scores(given, p), issues, issues.sum()


def figures(score, suspect, estimate, wrong):
    """AUROC, precision at the number of errors, suspects, how many of them and of all are wrong, and the estimate of that."""
    first = np.argsort(-score, kind="stable")[: wrong.sum()]
    return [roc_auc_score(wrong, score), wrong[first].mean(), suspect.sum(), (suspect & wrong).sum(), wrong.sum(), estimate]


def cells(ours, theirs):
    """A line of the table."""
    both = [np.array(ours), np.array(theirs)]
    for at in (0, 1):
        yield from (f"{100 * part[:, at].mean():.1f}" for part in both)
    for of in (2, 4):
        yield from (f"{100 * p[:, 3].sum() / p[:, of].sum():.0f}" if p[:, of].sum() else "–" for p in both)
    estimated = both[0][:, 5].sum() / both[0][:, 4].sum()
    yield "–" if np.isnan(estimated) else f"{estimated:.2f}"


def main():
    folder = Path(sys.argv[1])
    largest = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    print("| set | labels | noise | wrong | AUROC | cleanlab | at the number of errors | cleanlab | "
          "precision of suspects | cleanlab | recall of suspects | cleanlab | estimated / wrong |\n|" + "---|" * 13)
    means = []
    for size, classes, draws in SIZES:
        for file in sorted(folder.glob("*.npy")):
            if size > largest or file.stem.endswith(("-labels", "-test")):
                continue
            features, labels = np.load(file), np.load(folder / f"{file.stem}-labels.npy")
            if 10 * len(labels) < 9 * size:
                continue
            for noise, share in ((noise, share) for noise in ("random", "similar") for share in (0.03, 0.1, 0.2)):
                ours, theirs = [], []
                for seed in range(draws):
                    x, truth, given = draw(features, labels, size, classes, noise, share, seed)
                    wrong = given != truth
                    with tempfile.TemporaryDirectory() as place:
                        ours.append(figures(*by_trustpath(Path(place), x, given), wrong))
                    theirs.append(figures(*by_cleanlab(x, given), wrong))
                line = " | ".join(cells(ours, theirs))
                print(f"| {file.stem} | {size} | {noise} | {100 * share:.0f} | {line} |", flush=True)
                means.append(np.concatenate([np.mean(part, axis=0)[:2] for part in (ours, theirs)]))
    ours, at_errors, theirs, their_errors = 100 * np.mean(means, axis=0)
    print(f"\nMean over {len(means)} cells: AUROC {ours:.1f} against {theirs:.1f}, "
          f"at the number of errors {at_errors:.1f} against {their_errors:.1f}")


if __name__ == "__main__":
    main()
