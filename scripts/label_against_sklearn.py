"""What scikit-learn's semi-supervised classifiers make of the very pools that `label_quality` labels.

    pip install numpy scikit-learn
    mkdir draws && cargo run --release -p trustpath-bench --example label_quality -- draws novel 3 draws
    OMP_NUM_THREADS=2 python scripts/label_against_sklearn.py draws [BEGINNING]

BEGINNING keeps the files whose names begin so. Prints the mean accuracy on the unlabeled, in percent, over the draws
of each cell, in Markdown, with 1.96 standard errors. All are as scikit-learn publishes them, on features of unit
length: SelfTrainingClassifier around logistic regression with C = 10 (threshold 0.75, at most 10 rounds),
LabelSpreading with the 7 nearest neighbours or the Gaussian kernel of gamma 20 (alpha 0.2, at most 30 steps). The
features come from `crates/trustpath-data-*`.
"""

import gzip
import json
import re
import sys
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier

warnings.filterwarnings("ignore")
CRATES = Path(__file__).resolve().parent.parent / "crates"
METHODS = {
    "plain": None,
    "SelfTraining": lambda: SelfTrainingClassifier(logistic()),
    "LabelSpreading, knn": lambda: LabelSpreading(kernel="knn"),
    "LabelSpreading, rbf": lambda: LabelSpreading(),
}


def logistic():
    return LogisticRegression(C=10, max_iter=1000)


def unpack(dataset, split="novel"):
    """Features of unit length and labels: safetensors, its even bytes before its odd ones, in gzip."""
    parts = sorted(CRATES.glob(f"trustpath-data-*/{dataset}-{split}.safetensors.split.gz*"))
    planes = gzip.decompress(b"".join(part.read_bytes() for part in parts))
    planes, half = np.frombuffer(planes, np.uint8), (len(planes) + 1) // 2
    joined = np.empty_like(planes)
    joined[::2], joined[1::2] = planes[:half], planes[half:]
    raw = joined.tobytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    types = {"F16": np.float16, "F32": np.float32, "U8": np.uint8, "I32": np.int32, "I64": np.int64}
    tensors = {}
    for name, entry in json.loads(raw[8:start]).items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            values = np.frombuffer(raw[start + begin : start + end], types[entry["dtype"]])
            tensors[name] = values.reshape(entry["shape"])
    x = tensors["features"].astype(np.float32)
    return x / np.linalg.norm(x, axis=1, keepdims=True), tensors["labels"].astype(int)


def accuracy(method, x, truth, given):
    """On the unlabeled, of a method that knows `given`, -1 where there is no label."""
    hidden = given < 0
    if method is None:
        labels = logistic().fit(x[~hidden], given[~hidden]).predict(x[hidden])
    else:
        model = method().fit(x, given)
        labels = model.transduction_[hidden] if isinstance(model, LabelSpreading) else model.predict(x[hidden])
    return 100 * np.mean(labels == truth[hidden])


def main():
    cells = defaultdict(list)
    for file in Path(sys.argv[1]).glob(f"{sys.argv[2] if len(sys.argv) > 2 else ''}*.npy"):
        dataset, labels, pool, seed = re.fullmatch(r"(.+)-(\d+)-(balanced|long-tailed)-(\d+)", file.stem).groups()
        cells[dataset, int(labels), pool].append((int(seed), file))
    tables = {dataset: unpack(dataset) for dataset, _, _ in cells}
    print("| dataset | labels a class | pool |", " | ".join(METHODS), "|")
    print("|---|---|---|" + "---|" * len(METHODS))
    for (dataset, labels, pool), files in sorted(cells.items()):
        features, classes = tables[dataset]
        row = []
        for method in METHODS.values():
            scores = []
            for _, file in sorted(files):
                rows, given = np.load(file).T
                scores.append(accuracy(method, features[rows], classes[rows], given))
            error = 1.96 * np.std(scores, ddof=1) / np.sqrt(len(scores)) if len(scores) > 1 else np.inf
            row.append(f"{np.mean(scores):.2f} ± {error:.2f}")
        print(f"| {dataset} | {labels} | {pool} |", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main()
