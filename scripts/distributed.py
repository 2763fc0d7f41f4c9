"""How `trustpath.distributed.label` compares with one machine, and what it moves.

    pip install '.[ray]'
    python scripts/distributed.py parts
    python scripts/distributed.py workers
    python scripts/distributed.py lost

`parts`: CIFAR-FS and CUB, validation classes, 10 given labels of each class, labelled in 1, 2, 4 and 8 parts: how many labels are the same as in
one part, accuracy, the trusted share and how much of it is wrong, and the intersection over union of the trusted sets. One part is
bit for bit what one machine finds.

`workers`: CIFAR-FS, validation classes, repeated with jitter to `--rows` (40,000) rows of 384 features in 8 parquet files, 20 given
labels of each class, labelled in `--parts` (4) parts on clusters of 1, 2 and 4 workers: seconds, and bytes per row that each stage moves. The results
of all clusters must be the same, or it says so.

`lost`: a cluster of two nodes with an object store each, one of which is killed while both label a part: which parts were labelled where,
and whether the files are the same as without.

Options: `--sets`, `--seeds`, `--rows`, `--parts`, `--clusters`. Prints Markdown.
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


def of_parts(sets, seeds):
    cluster(2)
    print("| pool | parts | same label, % | accuracy, % | trusted, % | wrong among them, % | trusted sets, intersection over union |")
    print("|---|---|---|---|---|---|---|")
    for name in sets:
        data = trustpath.load_dataset(name, "validation")
        lines = {}
        for seed in range(seeds):
            y, one = given(data.target, 10, seed), None
            open_rows = y < 0
            for parts in (1, 2, 4, 8):
                with tempfile.TemporaryDirectory() as folder:
                    table = read(distributed.label([(data.data, y)], folder, parts=parts))
                labels = np.array([-1 if label is None else label for label in table.column("label").to_pylist()])
                trusted = np.array(table.column("verdict").to_pylist()) == "trusted"
                one = (labels, trusted) if one is None else one
                wrong = (labels != data.target)[trusted].mean() if trusted.any() else 0.0
                union = (trusted | one[1]).sum()
                lines.setdefault(parts, []).append([
                    (labels == one[0])[open_rows].mean(), (labels == data.target)[open_rows].mean(),
                    trusted[open_rows].mean(), wrong, (trusted & one[1]).sum() / max(union, 1),
                ])
        for parts, values in lines.items():
            same, right, share, wrong, overlap = np.mean(values, axis=0)
            size = f"{name}, {len(data.target):,} rows"
            print(f"| {size} | {parts} | {100 * same:.1f} | {100 * right:.1f} | {100 * share:.1f} | {100 * wrong:.1f} | {overlap:.3f} |")


def write_blocks(folder, rows):
    """Real features with jitter and the labels of a few, as parquet files."""
    data = trustpath.load_dataset("cifar-fs", "validation")
    random = np.random.default_rng(0)
    order = np.resize(random.permutation(len(data.target)), rows)
    real = data.data[:, :DIMS]
    noise = random.standard_normal((rows, DIMS), dtype=np.float32)
    features = np.maximum(real[order] + JITTER * real.std(0) * noise, 0)
    labels = given(data.target[order], GIVEN, 1)
    for number, here in enumerate(np.array_split(np.arange(rows), BLOCKS)):
        lists = pa.FixedSizeListArray.from_arrays(pa.array(features[here].ravel()), DIMS)
        parquet.write_table(pa.table({"features": lists, "label": labels[here]}), f"{folder}/{number}.parquet")


def of_workers(rows, parts, clusters):
    print("| workers | seconds | of these labelling, per part | dealt, bytes per row | to all parts | results | written | to the driver, bytes in all |")
    print("|---|---|---|---|---|---|---|---|")
    first, source = None, tempfile.TemporaryDirectory()
    write_blocks(source.name, rows)
    for workers in clusters:
        cluster(workers)
        # Workers are started, and have imported everything, before the clock is.
        ray.get([ray.remote(lambda: trustpath.__version__).remote() for _ in range(workers)])
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as folder:
            found = distributed.label(source.name, folder, parts=parts)
            seconds, table = time.perf_counter() - start, read(found)
        first = table if first is None else first
        of = found["parts"]
        dealt = sum(part["received"] - part["to_all"] for part in of) / rows
        to_all, results = (sum(part[name] for part in of) / rows for name in ("to_all", "results"))
        written = sum(file["bytes"] for file in found["files"]) / rows
        driver = len(pickle.dumps({name: found[name] for name in ("classes", "rows", "parts", "files")}))
        labelling = np.mean([part["seconds"] for part in of])
        print(f"| {workers} | {seconds:.1f} | {labelling:.1f} | {dealt:.0f} | {to_all:.0f} | {results:.0f} | {written:.0f} | {driver:,} |", flush=True)
        if not table.equals(first):
            print("THE RESULTS DIFFER")
        ray.shutdown()


def of_lost():
    from ray.cluster_utils import Cluster
    from trustpath.distributed import _label

    random = np.random.default_rng(0)
    truth = random.integers(0, 3, 600)
    X = random.normal(size=(600, 1000)).astype(np.float32)
    X[np.arange(600), truth] += 12
    y = given(truth, 10, 0)
    # Functions, since arrays would be lost with the node; packets are too large to travel with the messages of Ray.
    blocks = [lambda: (X[:250], y[:250]), lambda: (X[250:], y[250:])]
    signals = tempfile.TemporaryDirectory()
    at = Path(signals.name)

    class Waits(_label._Label):
        def __call__(self, *arguments):
            (at / f"part {arguments[-1]} on {ray.get_runtime_context().get_node_id()}").touch()
            while not (at / "killed").exists():
                time.sleep(0.2)
            return super().__call__(*arguments)

    local = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    nodes = {node.node_id: node for node in (local.add_node(num_cpus=1) for _ in range(2))}
    ray.init(address=local.address, log_to_driver=False)

    def kill():
        while len(started := sorted(at.glob("part*"))) < 2:
            time.sleep(0.2)
        local.remove_node(nodes[started[0].name.split(" on ")[1]], allow_graceful=False)
        (at / "killed").touch()

    plain, _label._Label = _label._Label, Waits
    threading.Thread(target=kill, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        disturbed = read(distributed.label(blocks, f"{folder}/disturbed", parts=2))
        _label._Label = plain
        undisturbed = read(distributed.label(blocks, f"{folder}/undisturbed", parts=2))
    print(*sorted(path.name for path in at.iterdir()), sep="\n")
    print("nodes alive:", [node["Alive"] for node in ray.nodes()])
    print("the files are the same" if disturbed.equals(undisturbed) else "THE FILES DIFFER")
    ray.shutdown()
    local.shutdown()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["parts", "workers", "lost"])
    parser.add_argument("--sets", nargs="+", default=["cifar-fs", "cub"])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--rows", type=int, default=40_000)
    parser.add_argument("--parts", type=int, default=4)
    parser.add_argument("--clusters", type=int, nargs="+", default=[1, 2, 4])
    options = parser.parse_args()
    if options.what == "parts":
        of_parts(options.sets, options.seeds)
    elif options.what == "lost":
        of_lost()
    else:
        of_workers(options.rows, options.parts, options.clusters)
