"""How `trustpath.distributed.label` compares with one machine, and what it moves.

    pip install '.[ray]'
    python scripts/distributed.py regions
    python scripts/distributed.py workers
    python scripts/distributed.py lost

`regions`: CIFAR-FS, validation classes, repeated with jitter to `--rows` rows of 384 features, 20 given labels of each class, labelled by one
machine and in `--counts` (1, 2, 4 and 8) regions: how many labels and verdicts are those of one machine, accuracy, the trusted share and how much of it is wrong,
the intersection over union of the trusted sets, and the share of the true neighbours that was found. `one, with noise` is one machine on the
same features with noise of a thousandth of their standard deviation: as much as that, a result depends on details.

`workers`: such a pool in 8 parquet files, labelled in `--regions` (4) regions on clusters of 1, 2 and 4 workers: seconds, and bytes per row
that tasks receive at each stage. The results of all clusters must be the same, or it says so.

`lost`: a cluster of two nodes with an object store each, one of which is killed while both search neighbours: which regions were searched where,
and whether the files are the same as without.

Options: `--rows` (40,000), `--counts`, `--regions`, `--clusters`, `--seed`. Prints Markdown.
"""

import argparse
import pickle
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import ray

import trustpath
from trustpath import distributed

JITTER, GIVEN, DIMS, BLOCKS = 0.3, 20, 384, 8


def cluster(workers):
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)


def read(found):
    return pa.concat_tables([parquet.read_table(file["file"]) for file in found["files"]])


def given(truth, per_class, seed):
    """Labels of a few rows of every class, -1 elsewhere."""
    random, labels = np.random.default_rng(seed), np.full(len(truth), -1)
    for label in np.unique(truth):
        chosen = random.choice(np.flatnonzero(truth == label), per_class, replace=False)
        labels[chosen] = label
    return labels


def make(rows, seed=1):
    """Real features with jitter, the truth, and the labels of a few."""
    data = trustpath.load_dataset("cifar-fs", "validation")
    random = np.random.default_rng(seed - 1)
    order = np.resize(random.permutation(len(data.target)), rows)
    real = data.data[:, :DIMS]
    noise = random.standard_normal((rows, DIMS), dtype=np.float32)
    features = np.maximum(real[order] + JITTER * real.std(0) * noise, 0)
    return features, data.target[order], given(data.target[order], GIVEN, seed)


def codes(table):
    return np.array([-1 if label is None else label for label in table.column("label").to_pylist()])


def of_regions(rows, seed, counts):
    cluster(2)
    X, truth, y = make(rows, seed)
    open_rows = y < 0
    print("| | same label, % | same verdict, % | accuracy, % | trusted, % | wrong among them, % | trusted sets, intersection over union | neighbours found, % |")
    print("|---|---|---|---|---|---|---|---|")

    def line(name, labels, verdicts, one, recall):
        trusted = verdicts == "trusted"
        wrong = (labels != truth)[trusted].mean() if trusted.any() else 0.0
        both, either = (trusted & (one[1] == "trusted")).sum(), (trusted | (one[1] == "trusted")).sum()
        shares = (labels == one[0])[open_rows].mean(), (verdicts == one[1]).mean(), (labels == truth)[open_rows].mean(), trusted[open_rows].mean(), wrong
        print(f"| {name} | {' | '.join(f'{100 * share:.1f}' for share in shares)} | {both / max(either, 1):.3f} | {recall} |", flush=True)

    def of_one(features):
        fitted = trustpath.TrustPathClassifier(n_jobs=1).fit(features, y)
        return fitted.transduction_, fitted.verdict_

    one = of_one(X)
    line("one machine", *one, one, "·")
    noise = np.random.default_rng(7).standard_normal(X.shape, dtype=np.float32)
    line("one, with noise", *of_one(np.maximum(X + X.std(0) / 1000 * noise, 0)), one, "·")
    for regions in counts:
        with tempfile.TemporaryDirectory() as folder:
            blocks = [ray.put(block) for block in zip(np.array_split(X, BLOCKS), np.array_split(y, BLOCKS))]
            found = distributed.label(blocks, folder, regions=regions)
            table = read(found)
        line(f"regions: {regions}", codes(table), np.array(table.column("verdict").to_pylist()), one, f"{100 * found['recall']:.1f}")


def write_blocks(folder, rows):
    """A pool as parquet files."""
    features, _, labels = make(rows)
    for number, here in enumerate(np.array_split(np.arange(rows), BLOCKS)):
        lists = pa.FixedSizeListArray.from_arrays(pa.array(features[here].ravel()), DIMS)
        parquet.write_table(pa.table({"features": lists, "label": labels[here]}), f"{folder}/{number}.parquet")


def of_workers(rows, regions, clusters):
    first, source = None, tempfile.TemporaryDirectory()
    write_blocks(source.name, rows)
    seconds, moved = {}, {}
    for workers in clusters:
        cluster(workers)
        # Workers are started, and have imported everything, before the clock is.
        ray.get([ray.remote(lambda: trustpath.__version__).remote() for _ in range(workers)])
        with tempfile.TemporaryDirectory() as folder:
            found = distributed.label(source.name, folder, regions=regions)
            table = read(found)
        first = table if first is None else first
        for stage, took in found["seconds_of"].items():
            seconds.setdefault(stage, []).append(took)
        for stage, count in found["moved"].items():
            moved.setdefault(stage, []).append(count)
        written = sum(file["bytes"] for file in found["files"]) / rows
        left_out = ("model", "suggestions")
        driver = len(pickle.dumps({name: value for name, value in found.items() if name not in left_out}))
        if not table.equals(first):
            print("THE RESULTS DIFFER")
        ray.shutdown()
    print(f"| seconds | {' | '.join(f'{workers} workers' for workers in clusters)} |")
    print("|---|" + "---|" * len(clusters))
    for stage, took in [*seconds.items(), ("all", [sum(times) for times in zip(*seconds.values())])]:
        print(f"| {stage} | {' | '.join(f'{value:.1f}' for value in took)} |")
    print("\n| stage | bytes per row |\n|---|---|")
    for stage, counts in moved.items():
        print(f"| {stage} | {counts[0] / rows:.0f} |" + ("" if len(set(counts)) == 1 else " DIFFERS"))
    print(f"| written | {written:.0f} |\n\nThe answer that the driver returns has {driver:,} bytes.")


def of_lost():
    from ray.cluster_utils import Cluster
    from trustpath.distributed import _regions

    random = np.random.default_rng(0)
    truth = random.integers(0, 3, 600)
    X = random.normal(size=(600, 1000)).astype(np.float32)
    X[np.arange(600), truth] += 12
    y = given(truth, 10, 0)
    # Functions, since arrays would be lost with the node; packets are too large to travel with the messages of Ray.
    blocks = [lambda: (X[:250], y[:250]), lambda: (X[250:], y[250:])]
    signals = tempfile.TemporaryDirectory()
    at = Path(signals.name)

    plain = _regions.search

    def waits(plan, table, number, *arguments):
        (at / f"region {number} on {ray.get_runtime_context().get_node_id()}").touch()
        while not (at / "killed").exists():
            time.sleep(0.2)
        return plain(plan, table, number, *arguments)

    local = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    nodes = {node.node_id: node for node in (local.add_node(num_cpus=1) for _ in range(2))}
    ray.init(address=local.address, log_to_driver=False)

    def kill():
        while len(started := sorted(at.glob("region*"))) < 2:
            time.sleep(0.2)
        local.remove_node(nodes[started[0].name.split(" on ")[1]], allow_graceful=False)
        (at / "killed").touch()

    _regions.search = waits
    threading.Thread(target=kill, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        disturbed = read(distributed.label(blocks, f"{folder}/disturbed", regions=2))
        _regions.search = plain
        undisturbed = read(distributed.label(blocks, f"{folder}/undisturbed", regions=2))
    print(*sorted(path.name for path in at.iterdir()), sep="\n")
    print("nodes alive:", [node["Alive"] for node in ray.nodes()])
    print("the files are the same" if disturbed.equals(undisturbed) else "THE FILES DIFFER")
    ray.shutdown()
    local.shutdown()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["regions", "workers", "lost"])
    parser.add_argument("--rows", type=int, default=40_000)
    parser.add_argument("--regions", type=int, default=4)
    parser.add_argument("--counts", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--clusters", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.what == "regions":
        of_regions(options.rows, options.seed, options.counts)
    elif options.what == "lost":
        of_lost()
    else:
        of_workers(options.rows, options.regions, options.clusters)
