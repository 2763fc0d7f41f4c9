"""How much faster than Python: the paper's pipeline in scikit-learn and trustpath, on the same episodes, in one run.

    pip install numpy scikit-learn
    cargo build --release
    OMP_NUM_THREADS=1 python scripts/compare_with_python.py [FEATURES.npy LABELS.npy]

Without files, the features are random class clusters. The Python side is the paper's loop as its code has it (LLE to 5
dimensions, scikit-learn's `enet_path` on the n x n projector, logistic regression with C = 10, 5 instances per class and
round), from features on, on one thread; so is trustpath. Times are processor time, so that other programs hardly matter: of
trustpath, the difference between two runs of many episodes, without the time that it takes to start. Accuracies are of
the same episodes and printed to show that both do the same work.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression, enet_path
from sklearn.manifold import LocallyLinearEmbedding

warnings.filterwarnings("ignore")
ROOT = Path(__file__).resolve().parent.parent
EPISODES = 40
TIMED = (100, 1100)


def user_seconds(command):
    """Processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def clusters(folder):
    """20 classes of 100 instances with 512 features, of which a common mean is the largest part."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(20), 100)
    x = 1.0 + 0.2 * rng.normal(size=(20, 512))[labels] + rng.normal(size=(2000, 512))
    np.save(folder / "features.npy", x.astype(np.float32))
    np.save(folder / "labels.npy", labels.astype(np.int32))
    return folder / "features.npy", folder / "labels.npy"


def official(x, support_labels, query_labels, step=5):
    """Accuracy of the paper's loop on one transductive episode, the labelled instances first."""
    x = x / np.linalg.norm(x, axis=1, keepdims=True)
    labelled, n, classes = len(support_labels), len(x), support_labels.max() + 1
    low = LocallyLinearEmbedding(n_neighbors=5, n_components=5).fit_transform(x)
    complement = np.eye(n) - low @ np.linalg.pinv(low.T @ low) @ low.T
    taken = list(range(labelled))
    classifier = LogisticRegression(C=10, max_iter=1000).fit(x[:labelled], support_labels)
    while len(taken) < n:
        pseudo = classifier.predict(x[labelled:])
        labels = np.concatenate([support_labels, pseudo])
        target = complement @ np.eye(classes)[labels]
        _, gamma, _ = enet_path(complement, target, l1_ratio=1.0)
        zero = ~gamma.any(axis=0)[labelled:, ::-1]  # instance x lambda, the smallest lambda first
        quota = np.full(classes, step)
        before = len(taken)
        for column in zero.T:
            for i in np.flatnonzero(column) + labelled:
                if i not in taken and quota[labels[i]] > 0:
                    taken.append(i)
                    quota[labels[i]] -= 1
        if len(taken) == before:
            break
        classifier = LogisticRegression(C=10, max_iter=1000).fit(x[taken], labels[taken])
    return np.mean(classifier.predict(x[labelled:]) == query_labels)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        given = [Path(name) for name in sys.argv[1:3]]
        features, labels = given if len(given) == 2 else clusters(folder)
        binary = ROOT / "target" / "release" / "trustpath"
        bench = [binary, "bench", "--features", features, "--labels", labels, "--threads", "1", "--quiet"]
        table = np.load(features)
        print(f"{'case':<22}{'accuracy %':>22}{'ms an episode':>26}{'ratio':>8}")
        print(f"{'':<22}{'python':>11}{'trustpath':>11}{'python':>13}{'trustpath':>13}")
        for shot in (1, 5):
            episodes = folder / f"{shot}-shot"
            options = ["--shot", str(shot), "--episodes", str(EPISODES), "--export-episodes", episodes]
            subprocess.run(bench + options, check=True, stdout=subprocess.DEVNULL)
            ours = json.loads(
                subprocess.run(
                    bench + ["--episode-list", episodes, "--json"], check=True, capture_output=True
                ).stdout
            )
            support = np.load(episodes / "support.npy")
            query, truth = np.load(episodes / "query_flat.npy"), np.load(episodes / "query_label.npy")
            scores, start = [], time.process_time()
            for s, q, t in zip(support, query, truth):
                rows = np.concatenate([s.reshape(-1), q])
                scores.append(official(table[rows].astype(np.float32), np.repeat(np.arange(5), shot), t))
            python = (time.process_time() - start) / len(support)
            fewer, more = (
                user_seconds(bench + ["--shot", str(shot), "--episodes", str(count)]) for count in TIMED
            )
            mine = (more - fewer) / (TIMED[1] - TIMED[0])
            print(
                f"{f'icir {shot}-shot':<22}{100 * np.mean(scores):>11.2f}{100 * ours['accuracy']['final']['mean']:>11.2f}"
                f"{1e3 * python:>13.1f}{1e3 * mine:>13.2f}{python / mine:>8.0f}"
            )


if __name__ == "__main__":
    main()
