"""Learns the parameters of UNEM-Gaussian by gradient descent through its steps, on validation classes.

    python scripts/learn_unem.py FEATURES.npy...          # labels in FEATURES-labels.npy beside each

Prints what stands between LEARNED and END in crates/trustpath-bench/src/transductive/unem.rs, and the accuracy on other episodes of
the same classes before and after. As its authors do (CVPR 2025): episodes for each number of shots, the
cross-entropy of the last probabilities, 100 steps of Adam with a rate of 0.1, halved every 50 steps. Unlike theirs, features have unit length, there are 400 instead of 1000 episodes,
and they are spread over all files given, and over pools that are balanced, by Dirichlet(2), and of five among sixteen
classes (the only kind that the authors have), so that one set of parameters serves all.

Needs NumPy and autograd.
"""

import sys

import autograd.numpy as np
import numpy
from autograd import grad

STEPS, EPISODES, BATCH = 10, 400, 25


def episode(random, x, members, shots, kind):
    """Support, its labels, queries and their labels."""
    ways = min(16, len(members)) if kind == "among" else 5
    classes = random.permutation(len(members))[:ways]
    while True:
        sizes = numpy.zeros(ways, dtype=int)
        if kind == "dirichlet":
            sizes = random.multinomial(75, random.dirichlet(numpy.full(ways, 2.0)))
        elif kind == "among":
            sizes[:5] = random.multinomial(75, [0.2] * 5)
        else:
            sizes[:] = 15
        if all(len(members[c]) >= shots + s for c, s in zip(classes, sizes)):
            break
    rows = [random.permutation(members[c]) for c in classes]
    support = numpy.concatenate([r[:shots] for r in rows])
    query = numpy.concatenate([r[shots : shots + s] for r, s in zip(rows, sizes)])
    return x[support], numpy.repeat(numpy.arange(ways), shots), x[query], numpy.repeat(numpy.arange(ways), sizes)


def in_span(task):
    """The same distances in as many features as there are rows."""
    support, y, query, answer = task
    rows = numpy.concatenate([support, query])
    rows = numpy.linalg.qr(rows.T, mode="r").T
    return rows[: len(support)], y, rows[len(support) :], answer


def positive(v):
    return np.log1p(np.exp(v))


def probabilities(unknown, support, y, query):
    """Of several episodes of the same shape at once."""
    scale = positive(unknown[0])
    weights, temperatures = positive(unknown[1 : 1 + STEPS]), 1 + positive(unknown[1 + STEPS :])
    labels = numpy.eye(y.max() + 1)[y]
    counts = labels.sum(0)[None, :, None]
    sums = scale * np.matmul(labels.T, support)
    x = scale * query
    mu, v = sums / counts, 1.0
    for step in range(STEPS):
        d = (x**2).sum(2)[:, :, None] + (mu**2).sum(2)[:, None, :] - 2 * np.matmul(x, np.swapaxes(mu, 1, 2))
        s = (weights[step] * v - d / 2) / temperatures[step]
        s = s - np.max(s, axis=2, keepdims=True)
        e = np.exp(s)
        p = e / e.sum(2)[:, :, None]
        v = (np.log(p.sum(1) / x.shape[1] + 1e-6) + 1)[:, None, :]
        mu = (np.matmul(np.swapaxes(p, 1, 2), x) + sums) / (p.sum(1)[:, :, None] + counts)
    return p


def loss(unknown, batch):
    support, y, query, answer = batch
    p = probabilities(unknown, support, y, query)
    right = numpy.eye(y.max() + 1)[answer]
    return -(np.log((p * right).sum(2) + 1e-12)).mean()


def batches(tasks):
    """Episodes of the same shape together."""
    shapes = {}
    for task in tasks:
        shapes.setdefault((task[0].shape, task[2].shape, task[1].max()), []).append(task)
    for group in shapes.values():
        for at in range(0, len(group), BATCH):
            part = group[at : at + BATCH]
            stack = lambda i: numpy.stack([t[i] for t in part])
            yield stack(0), part[0][1], stack(2), stack(3)


def accuracy(unknown, tasks):
    right = [
        (probabilities(unknown, s, y, q).argmax(2) == a).mean(1) for s, y, q, a in batches(tasks)
    ]
    return 100 * numpy.concatenate(right).mean()


def main():
    files = []
    for path in sys.argv[1:]:
        x = numpy.load(path).astype(numpy.float64)
        x /= numpy.linalg.norm(x, axis=1, keepdims=True)
        y = numpy.unique(numpy.load(path.replace(".npy", "-labels.npy")), return_inverse=True)[1]
        files.append((x, [numpy.where(y == c)[0] for c in range(y.max() + 1)]))
    kinds = ["balanced", "dirichlet", "among"]
    slope = grad(loss)
    for shots in [1, 5, 20]:
        random = numpy.random.default_rng(shots)
        usable = lambda members: [m for m in members if len(m) >= shots + 30]

        def draw(count):
            tasks = []
            for i in range(count):
                x, members = files[i % len(files)]
                kind = kinds[i // len(files) % 3]
                tasks.append(in_span(episode(random, x, usable(members), shots, kind)))
            return tasks

        train, other = draw(EPISODES), draw(300)
        parts = list(batches(train))
        sizes = numpy.array([len(part[0]) for part in parts])
        # A scale of five: distances between unit rows of a class are then of the size that the weights are for.
        unknown = numpy.concatenate([[5.0], numpy.ones(2 * STEPS)])
        before = accuracy(unknown, other)
        first, second = numpy.zeros_like(unknown), numpy.zeros_like(unknown)
        for step in range(1, 101):
            gradient = sum(n * slope(unknown, part) for n, part in zip(sizes, parts)) / sizes.sum()
            first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
            rate = 0.1 * 0.5 ** ((step - 1) // 50)
            unknown = unknown - rate * (first / (1 - 0.9**step)) / (numpy.sqrt(second / (1 - 0.999**step)) + 1e-8)
            if step % 10 == 0:
                print(f"{shots} shots, step {step}: {loss(unknown, parts[0]):.4f}", file=sys.stderr, flush=True)
        print(f"// {shots} shots: {before:.2f} before, {accuracy(unknown, other):.2f} after")
        text = lambda values: ", ".join(f"{v:.3f}" for v in values)
        scale, weights, temperatures = numpy.split(numpy.concatenate([positive(unknown[: 1 + STEPS]), 1 + positive(unknown[1 + STEPS :])]), [1, 1 + STEPS])
        print(f"({float(shots)}, UnemParams {{ scale: {text(scale)}, lambda: [{text(weights)}], temperature: [{text(temperatures)}] }}),", flush=True)


main()
