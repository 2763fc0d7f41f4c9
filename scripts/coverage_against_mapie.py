"""How much each way of keeping a promise trusts: at least 90 % right, with 90 % confidence, from the same labels.

    pip install numpy scikit-learn mapie==1.6.0
    cargo build --release && python scripts/coverage_against_mapie.py DRAWS features.npy ...

Beside every file of features there is one `-labels.npy`. Pools have 20 classes of 60 instances, of which 5 or
20 of each class are labelled. `label` is `trustpath label`. The others train on one half of the labels and choose a threshold on the
other: *same labeller* ranks by the probabilities that trustpath finds from that half, *plain* by those of logistic regression (C = 10,
unit length). *LTT* is the fixed sequence of MAPIE's controller over 100 thresholds, for whether a label is right; *auto-labelling* is the
lowest threshold whose estimated error and one and a quarter of its standard errors are below a tenth (Vishwakarma and others, 2023). MAPIE's
controller for several classes, as documented, promises the precision of every class. Prints the mean share of the pool that is
trusted, in percent, and in brackets the percentage of draws in which more than a tenth of it is wrong.
"""

import csv
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from mapie.risk_control import BinaryClassificationController, MultiClassificationLTTController
from mapie.risk_control.risks import build_precision_ovr
from sklearn.linear_model import LogisticRegression

warnings.filterwarnings("ignore")
PROGRAM = Path(__file__).resolve().parent.parent / "target/release/trustpath"
PRECISION, CONFIDENCE = 0.9, 0.9
LEAST = 22
WAYS = ["label", "same labeller, LTT", "plain, LTT", "plain, auto-labelling", "plain, MAPIE per class"]


def pool(x, y, labels, seed):
    """Rows of 20 classes, their classes from 0, and which of them are labelled."""
    random = np.random.default_rng(seed)
    rows, truth, given = [], [], []
    for number, label in enumerate(random.permutation(np.unique(y))[:20]):
        members = random.permutation(np.flatnonzero(y == label))[:60]
        rows.extend(members)
        truth.extend([number] * len(members))
        given.extend(np.arange(len(members)) < labels)
    return x[rows], np.array(truth), np.array(given)


def label(x, truth, given, folder):
    """The columns of `trustpath label`: label, probability and verdict."""
    np.save(folder / "pool.npy", x.astype(np.float32))
    with open(folder / "labels.csv", "w", newline="") as file:
        csv.writer(file).writerows([("id", "label"), *((row, f"c{truth[row]}") for row in np.flatnonzero(given))])
    out = folder / "out.csv"
    command = [PROGRAM, "label", folder / "pool.npy", "--labels", folder / "labels.csv", "--out", out, "--quiet"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(out, newline="") as file:
        rows = list(csv.DictReader(file))
    label = np.array([int(row["label"][1:]) if row["label"] else -1 for row in rows])
    return label, np.array([float(row["probability"]) for row in rows]), np.array([row["verdict"] for row in rows])


def ltt(score, right, of_pool):
    """Which of the pool are above the lowest threshold of the fixed sequence of MAPIE."""
    # The sequence begins where enough labels are above the threshold, as that of trustpath does.
    thresholds = [threshold for threshold in np.linspace(0.99, 0, 100) if (score >= threshold).sum() >= LEAST]
    if not thresholds:
        return np.zeros(len(of_pool), bool)
    controller = BinaryClassificationController(
        lambda x: np.column_stack([1 - x[:, 0], x[:, 0]]),
        "precision",
        target_level=PRECISION,
        confidence_level=CONFIDENCE,
        best_predict_param_choice="recall",
        list_predict_params=np.array(thresholds),
        fwer_method="fixed_sequence",
    )
    controller.calibrate(score[:, None], right.astype(int))
    valid = np.ravel(controller.valid_predict_params)
    return of_pool >= valid.min() if valid.size else np.zeros(len(of_pool), bool)


def auto_labelling(score, right, of_pool):
    """The same by the estimated error alone."""
    best = 2.0
    for threshold in np.linspace(0.99, 0, 100):
        above = right[score >= threshold]
        if len(above) >= 5:
            error = 1 - above.mean()
            if error + 1.25 * np.sqrt(error * (1 - error) / len(above)) <= 1 - PRECISION:
                best = threshold
    return of_pool >= best


def by_class(model, x, y, of_pool):
    """The same by MAPIE's controller for several classes."""
    classes = model.classes_
    controller = MultiClassificationLTTController(
        model.predict_proba, build_precision_ovr(classes), [PRECISION] * len(classes), CONFIDENCE, classes=classes
    )
    controller.calibrate(x, y)
    if not np.size(controller.valid_predict_params):
        return np.zeros(len(of_pool), bool)
    return ~np.isnan(np.asarray(controller.predict(of_pool), float))


def measure(x, truth, given, seed, folder):
    """Share of the pool that every way trusts, and the share of it that is wrong."""
    open_rows = np.flatnonzero(~given)
    random = np.random.default_rng(seed + 1)
    train, check = np.zeros(len(truth), bool), np.zeros(len(truth), bool)
    for number in np.unique(truth):
        members = random.permutation(np.flatnonzero(given & (truth == number)))
        half = (len(members) + number % 2) // 2
        train[members[:half]] = check[members[half:]] = True
    found, _, verdict = label(x, truth, given, folder)
    results = [(found[open_rows], verdict[open_rows] == "trusted")]
    found, probability, _ = label(x, truth, train, folder)
    right = found[check] == truth[check]
    results.append((found[open_rows], ltt(probability[check], right, probability[open_rows])))
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    model = LogisticRegression(C=10, max_iter=1000).fit(unit[train], truth[train])
    score, found = model.predict_proba(unit).max(1), model.predict(unit)
    right = found[check] == truth[check]
    for way in (ltt, auto_labelling):
        results.append((found[open_rows], way(score[check], right, score[open_rows])))
    results.append((found[open_rows], by_class(model, unit[check], truth[check], unit[open_rows])))
    wrong = [np.mean(found[trusted] != truth[open_rows][trusted]) if trusted.any() else 0 for found, trusted in results]
    return np.array([trusted.mean() for _, trusted in results]), np.array(wrong)


def main():
    draws, files = int(sys.argv[1]), [Path(file) for file in sys.argv[2:]]
    print("| features | labels a class |", " | ".join(WAYS), "| label ahead of LTT by |")
    print("|---|---|" + "---|" * (len(WAYS) + 1))
    for file in files:
        x, y = np.load(file), np.load(file.with_name(f"{file.stem}-labels.npy")).ravel()
        for labels in (5, 20):
            with tempfile.TemporaryDirectory() as folder:
                results = [measure(*pool(x, y, labels, seed), seed, Path(folder)) for seed in range(draws)]
            share, wrong = (100 * np.array(part) for part in zip(*results))
            above = 100 * (wrong > 100 * (1 - PRECISION)).mean(0)
            cells = [f"{mean:.0f} ({broken:.0f})" for mean, broken in zip(share.mean(0), above)]
            ahead = share[:, 0] - share[:, 1:3].max(1)
            interval = 1.96 * ahead.std(ddof=1) / np.sqrt(len(ahead)) if len(ahead) > 1 else float("nan")
            print(f"| {file.stem} | {labels} |", " | ".join(cells), f"| {ahead.mean():+.1f} ± {interval:.1f} |", flush=True)


if __name__ == "__main__":
    main()
