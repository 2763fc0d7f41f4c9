"""The neighbour search of large pools beside hnswlib, faiss and pynndescent, on the same points in one run.

    pip install numpy hnswlib faiss-cpu pynndescent
    cargo build --release -p trustpath --example neighbors_of
    python scripts/neighbors.py 100000 1000000

For every n: real features (CIFAR-FS, validation classes, from `crates/trustpath-data-*`) repeated with jitter of 0.3 standard deviations,
as in `scale.py`, with the square root taken and projected on their 160 leading singular vectors, as `label` does with a large pool. Every program
finds the 10 nearest neighbours of every point, in a process of its own with two threads. Recall is measured on 1000 points against all
pairs; neighbours at the distance of the tenth count. Prints Markdown: wall and user seconds of the search with everything it builds, peak memory of
the process, recall. `--only NAME` keeps some programs, `--limit S` stops each after S seconds (900), `--folder F` keeps the points.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

DIMS, KEPT, K, JITTER, BLOCK, SAMPLE, THREADS = 384, 160, 10, 0.3, 20_000, 1000, 2
OURS = Path(__file__).resolve().parent.parent / "target" / "release" / "examples" / "neighbors_of"


def make(path, n):
    from label_against_sklearn import unpack

    real, _ = unpack("cifar-fs", "validation")
    random = np.random.default_rng(0)
    real = real[:, random.permutation(real.shape[1])[:DIMS]]
    spread = JITTER * real.std(0)
    root = lambda x: (x := np.sqrt(np.maximum(x, 0))) / np.linalg.norm(x, axis=1, keepdims=True)
    basis = np.linalg.svd(root(real), full_matrices=False)[2][:KEPT].T.astype(np.float32)
    rows = np.resize(random.permutation(len(real)), n)
    with open(path, "wb") as file:
        for start in range(0, n, BLOCK):
            block = real[rows[start : start + BLOCK]]
            noise = random.standard_normal(block.shape, dtype=np.float32)
            file.write((root(block + spread * noise) @ basis).astype("<f4").tobytes())


def trustpath(x, path, out):
    """Its own process; what it prints is the time."""
    environment = {**os.environ, "RAYON_NUM_THREADS": str(THREADS)}
    command = [OURS, path, str(KEPT), str(K), out]
    print(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout.split()[0])
    return np.fromfile(out, "<u4").reshape(-1, K)


def hnswlib(x, path, out):
    import hnswlib

    index = hnswlib.Index("l2", KEPT)
    index.init_index(len(x), ef_construction=100, M=16)
    index.set_num_threads(THREADS)
    index.add_items(x)
    index.set_ef(50)
    return without_itself(index.knn_query(x, K + 1)[0])


def faiss(x, path, out):
    import faiss

    faiss.omp_set_num_threads(THREADS)
    cells = int(4 * len(x) ** 0.5)
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(KEPT), KEPT, cells)
    index.train(x[:: max(1, len(x) // (32 * cells))])
    index.add(x)
    index.nprobe = 16
    return without_itself(index.search(x, K + 1)[1])


def pynndescent(x, path, out):
    from pynndescent import NNDescent

    return without_itself(NNDescent(x, n_neighbors=K + 1, n_jobs=THREADS, random_state=0).neighbor_graph[0])


def without_itself(lists):
    """The first K of each list that are not the point itself."""
    keep = lists != np.arange(len(lists))[:, None]
    keep[keep.all(1), -1] = False
    return lists[keep].reshape(len(lists), K)


def recall(x, lists):
    sample = np.arange(SAMPLE) * len(x) // SAMPLE
    square = (x**2).sum(1)
    found = 0
    for part in np.array_split(sample, 20):
        far = square[None] - 2 * (x[part] @ x.T) + square[part][:, None]
        far[np.arange(len(part)), part] = np.inf
        tenth = np.partition(far, K - 1, axis=1)[:, K - 1]
        found += (np.take_along_axis(far, lists[part].astype(int), 1) <= tenth[:, None] + 1e-6).sum()
    return found / (SAMPLE * K)


PROGRAMS = {"trustpath": trustpath, "hnswlib": hnswlib, "faiss, IVF": faiss, "pynndescent": pynndescent}


def one(name, path):
    """Runs a program in this process and prints its figures."""
    x = np.fromfile(path, "<f4").reshape(-1, KEPT)
    who = resource.RUSAGE_CHILDREN if name == "trustpath" else resource.RUSAGE_SELF
    before, start = resource.getrusage(who), time.monotonic()
    lists = PROGRAMS[name](x, path, str(path) + ".u32")
    wall, after = time.monotonic() - start, resource.getrusage(who)
    print(f"{wall:.1f} {after.ru_utime - before.ru_utime:.1f} {after.ru_maxrss / 2**20:.2f} {100 * recall(x, lists):.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--only", action="append")
    parser.add_argument("--limit", type=float, default=900)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        return one(args.one, args.folder)
    print("| n | program | seconds | user seconds | peak GiB | recall, % |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as temporary:
        path = args.folder or Path(temporary)
        path.mkdir(parents=True, exist_ok=True)
        for n in args.sizes:
            points = path / f"{n}.f32"
            if not points.exists():
                make(points, n)
            for name in args.only or PROGRAMS:
                command = [sys.executable, __file__, str(n), "--one", name, "--folder", str(points)]
                environment = {**os.environ, "OMP_NUM_THREADS": str(THREADS), "NUMBA_NUM_THREADS": str(THREADS)}
                try:
                    run = subprocess.run(command, capture_output=True, text=True, timeout=args.limit, env=environment)
                    figures = run.stdout.split()[-4:] if run.returncode == 0 else ["failed"] + ["–"] * 3
                    if run.returncode:
                        print(run.stderr[-300:], file=sys.stderr)
                except subprocess.TimeoutExpired:
                    figures = [f"> {args.limit:.0f}"] + ["–"] * 3
                print(f"| {n:,} | {name} | " + " | ".join(figures) + " |", flush=True)


if __name__ == "__main__":
    main()
