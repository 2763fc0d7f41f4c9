"""How `trustpath label` and `audit` grow with the number of instances and of classes, beside scikit-learn, graphlearning and cleanlab.

    pip install numpy scikit-learn graphlearning cleanlab
    cargo build --release
    python scripts/scale.py 1000 10000 100000 1000000
    python scripts/scale.py 10000000 --dims 64 --limit 0
    python scripts/scale.py 100000 --classes 1000 --limit 0

For every n: real features (CIFAR-FS, novel classes, from `crates/trustpath-data-*`) repeated with jitter of 0.3 standard deviations of each,
20 classes, 20 given labels of each, in an npy file; then, one after the other on the same file, `trustpath label` (time by
stage from its progress, peak memory from the operating system), SelfTrainingClassifier around logistic regression
with C = 10, LabelSpreading with the 7 nearest neighbours, and Laplace learning of graphlearning on its 10 nearest neighbours, each in a process of its own with as much
time as `--limit` says. Then 5 % of all labels are replaced by another class at random, and `trustpath audit` and cleanlab (find_label_issues on probabilities of a
5-fold cross-validated logistic regression) look for them. Prints Markdown. Options: `--dims D` keeps D of the 512 features (384), `--limit S` seconds for each of the
others (600; 0 leaves them out), `--folder F` keeps the files there. With `--classes C` every class is one real instance repeated with jitter, and has 5 given labels. TRUSTPATH_BINARY names another program
than target/release/trustpath.
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

BINARY = os.environ.get("TRUSTPATH_BINARY", Path(__file__).resolve().parent.parent / "target" / "release" / "trustpath")
JITTER, GIVEN, FEW_GIVEN, BLOCK, WRONG = 0.3, 20, 5, 20_000, 0.05
PEERS = {"SelfTraining": "SelfTrainingClassifier", "LabelSpreading": "LabelSpreading, knn", "Laplace": "graphlearning, Laplace"}


def make(path, n, dims, classes):
    """Writes features, labels and truth; returns the path of the features."""
    from label_against_sklearn import unpack

    real, truth = unpack("cifar-fs")
    random = np.random.default_rng(0)
    real = real[:, random.permutation(real.shape[1])[:dims]]
    spread = JITTER * real.std(0)
    if classes:
        real = real[random.permutation(len(real))[:classes]]
        truth = np.arange(classes)
    rows = np.resize(random.permutation(len(real)), n)
    features = np.lib.format.open_memmap(path / f"{n}.npy", "w+", "<f4", (n, dims))
    for start in range(0, n, BLOCK):
        block = real[rows[start : start + BLOCK]]
        noise = random.standard_normal(block.shape, dtype=np.float32)
        features[start : start + BLOCK] = np.maximum(block + spread * noise, 0)
    features.flush()
    labels = truth[rows]
    given = np.full(n, -1)
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        given[random.choice(members, min(FEW_GIVEN if classes else GIVEN, len(members)), replace=False)] = label
    np.save(path / f"{n}-truth.npy", labels)
    np.save(path / f"{n}-given.npy", given)
    lines = "\n".join("" if label < 0 else f"c{label}" for label in given)
    (path / f"{n}.txt").write_text(lines + "\n")
    wrong = random.permutation(n)[: round(WRONG * n)]
    classes = labels.max() + 1
    audited = labels.copy()
    audited[wrong] = (labels[wrong] + random.integers(1, classes, len(wrong))) % classes
    np.save(path / f"{n}-audited.npy", audited)
    (path / f"{n}-audited.txt").write_text("\n".join(f"c{label}" for label in audited) + "\n")
    return path / f"{n}.npy"


def measured(command, limit=None):
    """Output and wall and user seconds of a command; no output, and why, where it fails or takes too long."""
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, (f"> {limit:.0f}", "–")
    user = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    seconds = f"{time.monotonic() - start:.1f}", f"{user:.1f}"
    if process.returncode != 0:
        return None, ("out of memory" if "Memory" in output else f"failed: {output[-200:]}", "–")
    return output, seconds


def quality(n, path, labels):
    truth, given = np.load(path / f"{n}-truth.npy"), np.load(path / f"{n}-given.npy")
    open_ = given < 0
    return 100 * np.mean(labels[open_] == truth[open_])


def result_file(n, path, name):
    """Where a result goes: arrays have the room of their longest text in every row, which is too much beyond a million rows."""
    return path / f"{n}-{name}.{'npz' if n <= 1_000_000 else 'csv'}"


def columns(file, *names):
    """Columns of a result."""
    if file.suffix == ".npz":
        result = np.load(file)
        return [result[name] for name in names]
    with open(file, newline="") as lines:
        rows = csv.reader(lines)
        head = next(rows)
        at = [head.index(name) for name in names]
        return [np.array(column) for column in zip(*([row[k] for k in at] for row in rows))]


def ours(n, path):
    """Seconds by stage, wall and user seconds, peak GiB, accuracy on the unlabeled, share that is trusted and share of wrong ones of these."""
    out = result_file(n, path, "out")
    command = [BINARY, "label", path / f"{n}.npy", "--labels", path / f"{n}.txt", "--out", out, "--progress", "json"]
    output, seconds = measured([str(part) for part in command])
    if output is None:
        sys.exit(f"trustpath: {seconds[0]}")
    stages = {}
    for line in output.splitlines():
        if line.startswith("{"):
            event = json.loads(line)
            # Without the file that is read.
            stages[event["stage"].split(" /")[0]] = event["elapsed_s"]
        elif "peak memory" in line:
            memory = float(line.split()[-2])
    label, verdict = columns(out, "label", "verdict")
    labels = np.array([int(name[1:]) if name else -1 for name in label])
    trusted = verdict == "trusted"
    wrong = labels[trusted] != np.load(path / f"{n}-truth.npy")[trusted]
    trust = f"{100 * trusted.mean():.0f}", f"{100 * wrong.mean():.1f}" if trusted.any() else "–"
    return stages, seconds, memory, quality(n, path, labels), trust


def our_audit(n, path):
    """Wall and user seconds, peak GiB, how many suspects, how many of them are wrong, and how many of all wrong labels they are."""
    out = result_file(n, path, "audit")
    command = [BINARY, "audit", path / f"{n}.npy", "--labels", path / f"{n}-audited.txt", "--out", out, "--progress", "json"]
    output, seconds = measured([str(part) for part in command])
    if output is None:
        sys.exit(f"trustpath audit: {seconds[0]}")
    memory = next(float(line.split()[-2]) for line in output.splitlines() if "peak memory" in line)
    # The most suspicious come first, whatever their row.
    row, verdict = columns(out, "id", "verdict")
    suspect = np.zeros(n, bool)
    suspect[row[verdict == "suspect"].astype(int)] = True
    return seconds, memory, found_by(n, path, suspect)


def found_by(n, path, suspect):
    wrong = np.load(path / f"{n}-audited.npy") != np.load(path / f"{n}-truth.npy")
    return int(suspect.sum()), 100 * wrong[suspect].mean() if suspect.any() else float("nan"), 100 * suspect[wrong].mean()


def peer(name, path, n):
    """Labels, or looks for wrong labels, in this process; prints accuracy or what was found, and peak memory."""
    room = int(0.85 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    resource.setrlimit(resource.RLIMIT_AS, (room, room))
    x, given = np.load(path / f"{n}.npy"), np.load(path / f"{n}-given.npy")
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    if name == "cleanlab":
        from cleanlab.filter import find_label_issues
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import cross_val_predict

        labels = np.load(path / f"{n}-audited.npy")
        probabilities = cross_val_predict(LogisticRegression(C=10, max_iter=1000), x, labels, cv=5, method="predict_proba")
        found = found_by(n, path, find_label_issues(labels, probabilities, n_jobs=1))
    elif name == "Laplace":
        import graphlearning as gl

        known = np.flatnonzero(given >= 0)
        model = gl.ssl.laplace(gl.weightmatrix.knn(x, 10))
        found = [quality(n, path, model.fit_predict(known, given[known]))]
    else:
        from sklearn.linear_model import LogisticRegression
        from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

        if name == "SelfTraining":
            model = SelfTrainingClassifier(LogisticRegression(C=10, max_iter=1000)).fit(x, given)
            found = [quality(n, path, model.predict(x))]
        else:
            found = [quality(n, path, LabelSpreading(kernel="knn").fit(x, given).transduction_)]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(*found, f"{peak:.2f}")


def table(head, rows):
    width = [max(len(row[k]) for row in [head, *rows]) for k in range(len(head))]
    line = lambda row: "| " + " | ".join(cell.ljust(w) for cell, w in zip(row, width)) + " |"
    print("\n".join([line(head), line(["-" * w for w in width]), *map(line, rows)]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--dims", type=int, default=384)
    parser.add_argument("--limit", type=float, default=600)
    parser.add_argument("--classes", type=int)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--peer", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.peer:
        return peer(args.peer, args.folder, args.sizes[0])
    with tempfile.TemporaryDirectory() as temporary:
        path = args.folder or Path(temporary)
        path.mkdir(parents=True, exist_ok=True)
        stage_rows, rows, audits = [], [], []
        for n in args.sizes:
            print(f"n = {n}", file=sys.stderr)
            gib = make(path, n, args.dims, args.classes).stat().st_size / 2**30
            stages, seconds, memory, right, trust = ours(n, path)
            stage_rows.append([f"{n:,}", "; ".join(f"{name} {took:.1f}" for name, took in stages.items())])
            rows.append([f"{n:,}", "trustpath", *seconds, f"{memory:.2f}", f"{gib:.2f}", f"{right:.1f}", *trust])

            def run(name):
                command = [sys.executable, __file__, str(n), "--peer", name, "--folder", str(path)]
                output, seconds = measured(command, args.limit)
                return (output.split() if output else None), seconds

            for name, title in PEERS.items() if args.limit else ():
                found, seconds = run(name)
                right, peak = (f"{float(found[-2]):.1f}", found[-1]) if found else ("–", "–")
                rows.append([f"{n:,}", title, *seconds, peak, f"{gib:.2f}", right, *["–"] * 2])
            seconds, memory, found = our_audit(n, path)
            audits.append([f"{n:,}", "trustpath audit", *seconds, f"{memory:.2f}", f"{found[0]:,}", f"{found[1]:.1f}", f"{found[2]:.1f}"])
            if args.limit:
                found, seconds = run("cleanlab")
                found = (found[-1], f"{int(found[-4]):,}", *(f"{float(share):.1f}" for share in found[-3:-1])) if found else ["–"] * 4
                audits.append([f"{n:,}", "cleanlab", *seconds, *found])
            for file in path.glob(f"{n}*"):
                if not args.folder:
                    file.unlink()
        table(["n", "", "seconds", "user seconds", "peak GiB", "features GiB", "accuracy, %", "trusted, %", "wrong among them, %"], rows)
        print()
        table(["n", "seconds by stage"], stage_rows)
        print()
        table(["n", "", "seconds", "user seconds", "peak GiB", "suspects", "wrong among them, %", "of all wrong ones, %"], audits)


if __name__ == "__main__":
    main()
