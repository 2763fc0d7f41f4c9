"""The transductive methods of other authors, written a second time: with NumPy, as plainly as possible, from their papers.

    python scripts/peers_restated.py golden crates/trustpath/tests/golden/peers.json
    python scripts/peers_restated.py list FEATURES.npy FOLDER EPISODES METHOD...

The first command writes a small pool and the class probabilities of every method on it; a test of the library compares its
own with them. The second prints accuracies on a list of episodes (docs/episode-lists.md), to compare with
`trustpath bench --episode-list`. Rows: labelled ones first. Needs NumPy and SciPy.
"""

import json
import re
import sys
from pathlib import Path

import numpy as np
from scipy.special import digamma


def unit(x):
    norm = np.linalg.norm(x, axis=1, keepdims=True)
    return x / np.where(norm > 1e-12, norm, 1.0)


def one_hot(y, classes):
    return np.eye(classes)[y]


def softmax(scores):
    e = np.exp(scores - scores.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def squared(a, b):
    return ((a[:, None, :] - b[None, :, :]) ** 2).sum(2)


def power(x):
    negative = -np.minimum(x, 0).sum()
    if negative >= 0.1 * np.abs(x).sum():
        return unit(np.sign(x) * np.sqrt(np.abs(x)))
    return unit(np.sqrt(np.maximum(x, 0) + 1e-6))


def sinkhorn(kernel, columns, sweeps=20000):
    """Rows of sum one, columns of these sums."""
    p = kernel.copy()
    for _ in range(sweeps):
        p = p * (columns / p.sum(0))
        p = p / p.sum(1, keepdims=True)
        if np.abs(p.sum(0) - columns).max() < 1e-9:
            break
    return p


def nearest(x, k):
    d = squared(x, x)
    np.fill_diagonal(d, np.inf)
    order = np.argsort(d, axis=1, kind="stable")[:, : min(k, len(x) - 1)]
    return order, np.take_along_axis(d, order, 1)


def self_tuned_graph(x, k=10):
    order, d = nearest(x, k)
    w = np.zeros((len(x), len(x)))
    np.put_along_axis(w, order, np.exp(-4 * d / d[:, -1:]), 1)
    return (w + w.T) / 2


def laplace(x, y, classes):
    w = self_tuned_graph(x)
    laplacian = np.diag(w.sum(1)) - w
    m = len(y)
    u = np.linalg.lstsq(laplacian[m:, m:], w[m:, :m] @ one_hot(y, classes), rcond=None)[0]
    u = np.maximum(u, 0)
    total = u.sum(1, keepdims=True)
    return np.where(total > 1e-9, u / np.maximum(total, 1e-300), 1 / classes)


def proto_lp(x, y, classes, balanced=True, epochs=100):
    x = power(x)
    directions = np.linalg.svd(x, full_matrices=False)[2][: max(40, classes)]
    x = x @ directions.T
    x = unit(x - x.mean(0))
    m, n = len(y), len(x) - len(y)
    labels = one_hot(y, classes)
    mu = unit(labels.T @ x[:m] / labels.sum(0)[:, None])

    def assign():
        kernel = np.exp(-10 * squared(x[m:], mu))
        if balanced:
            return sinkhorn(kernel, np.full(classes, n / classes))
        return kernel / kernel.sum(1, keepdims=True)

    for _ in range(epochs):
        z = np.vstack([labels, assign()])
        scale = np.diag(z.sum(0) ** -0.5)
        laplacian = np.eye(classes) - scale @ z.T @ z @ scale
        spread = np.linalg.solve(labels.T @ labels + laplacian, labels.T @ labels)
        p = z[m:] @ spread
        p = sinkhorn(p, np.full(classes, n / classes)) if balanced else p / p.sum(1, keepdims=True)
        weight = np.vstack([labels, 0.6 * p + 0.4 * z[m:]])
        mu = mu + 0.2 * (weight.T @ x / weight.sum(0)[:, None] - mu)
    return assign()


def paddle(x, y, classes, iterations=1000):
    m = len(y)
    span = x[m:].max(0) - x[m:].min(0)
    x = x / np.where(span > 0, span, 1.0) * np.sqrt(max(1, 512 / x.shape[1]))
    labels = one_hot(y, classes)
    mu = labels.T @ x[:m] / labels.sum(0)[:, None]
    v = np.zeros(classes)
    for _ in range(iterations):
        p = softmax(-0.5 * squared(x[m:], mu) + v)
        v = np.log(p.mean(0) + 1e-6) + 1
        mu = (p.T @ x[m:] + labels.T @ x[:m]) / (p.sum(0) + labels.sum(0))[:, None]
    return p


def unem_parameters():
    """What scripts/learn_unem.py has learned, by number of shots, as it stands in the library."""
    source = Path(__file__).parent.parent / "crates/trustpath-bench/src/transductive/unem.rs"
    source = source.read_text().split("// LEARNED")[1].split("// END")[0]
    number = r"[0-9.]+"
    rows = re.findall(rf"\(\s*({number}),\s*UnemParams {{(.*?)}}", source, re.DOTALL)
    values = lambda text: [float(v) for v in re.findall(number, text)]
    return {float(shots): np.split(values(text), [1, 11]) for shots, text in rows}


def unem(x, y, classes):
    m, n = len(y), len(x) - len(y)
    learned = unem_parameters()
    shots = min(learned, key=lambda at: abs(np.log(m / classes / at)))
    scale, weights, temperatures = learned[shots]
    x = scale * x
    labels = one_hot(y, classes)
    mu = labels.T @ x[:m] / labels.sum(0)[:, None]
    v = np.ones(classes)
    for weight, temperature in zip(weights, temperatures):
        p = softmax((weight * v - 0.5 * squared(x[m:], mu)) / temperature)
        v = np.log(p.sum(0) / n + 1e-6) + 1
        mu = (p.T @ x[m:] + labels.T @ x[:m]) / (p.sum(0) + labels.sum(0))[:, None]
    return p


def bavardage(x, y, classes, centre="labelled", t_km=10, t_vb=50, balanced=False, rounds=5):
    m = len(y)
    labels = one_hot(y, classes)
    mean = {"pool": x.mean(0), "labelled": x[:m].mean(0), "none": 0}[centre]
    x = unit(x - mean)
    mu = labels.T @ x[:m] / labels.sum(0)[:, None]
    for _ in range(rounds):
        r = np.vstack([labels, softmax(-t_km * squared(x[m:], mu))])
        mu = r.T @ x / r.sum(0)[:, None]
    for _ in range(rounds):
        counts = r.sum(0)
        alpha = counts - labels.sum(0) + 2
        prior = 0 if balanced else digamma(alpha) - digamma(alpha.sum())
        means = r.T @ x / (counts + 10)[:, None]
        q = np.linalg.svd((means[1:] - means[0]).T, full_matrices=False)[0]
        z, centres = x @ q, means @ q
        scores = prior - t_vb / 2 * squared(z, centres) - (classes - 1) / (2 * (counts + 10))
        r = np.vstack([labels, softmax(scores[m:])])
    return r[m:]


def ilpc(x, y, classes, k=15, alpha=0.8, temper=3, best=3, steps=1000):
    m, total = len(y), len(x)
    n = total - m
    order, d = nearest(x, k)
    w = np.zeros((total, total))
    np.put_along_axis(w, order, np.maximum(1 - d / 2, 0) ** 3, 1)
    w = (w + w.T) / 2
    root = 1 / np.sqrt(np.where(w.sum(1) > 0, w.sum(1), 1))
    propagate = np.linalg.inv(np.eye(total) - alpha * root[:, None] * w * root)
    best = max(best, -(-n // (5 * classes)))
    label = np.concatenate([y, np.full(n, -1)])
    left = np.full(classes, n / classes)
    result = np.zeros((n, classes))
    while (label < 0).any():
        known, opened = np.where(label >= 0)[0], np.where(label < 0)[0]
        z = np.maximum(propagate[np.ix_(opened, known)] @ one_hot(label[known], classes), 0)
        z = z / z.sum(1, keepdims=True)
        room = np.where(left > 0)[0]
        share = left[room] * len(opened) / left[room].sum()
        p = np.zeros((len(opened), classes))
        p[:, room] = sinkhorn(np.maximum(z[:, room], 1e-12) ** temper, share)
        result[opened - m] = p
        guess = p.argmax(1)
        # The loss of a linear classifier on all labels, averaged over gradient descent.
        rows = np.concatenate([known, opened])
        a, t = x[rows], one_hot(np.concatenate([label[known], guess]), classes)
        known_t = one_hot(label[known], classes)
        weights = unit(known_t.T @ x[known] / known_t.sum(0)[:, None]).T
        bias, speed, bias_speed, loss = np.zeros(classes), 0, 0, 0
        for _ in range(steps):
            q = softmax(a @ weights + bias)
            loss = loss - np.log((q * t).sum(1))
            g = (q - t) / len(a)
            speed = 0.9 * speed + a.T @ g + 5e-4 * weights
            bias_speed = 0.9 * bias_speed + g.sum(0) + 5e-4 * bias
            weights, bias = weights - 0.1 * speed, bias - 0.1 * bias_speed
        loss = loss[len(known):]
        taken = 0
        for c in range(classes):
            members = np.where(guess == c)[0]
            chosen = members[np.argsort(loss[members], kind="stable")[:best]]
            label[opened[chosen]] = c
            left[c] -= len(chosen)
            taken += len(chosen)
        if taken == 0:
            break
    return result


METHODS = {
    "laplace-learning": laplace,
    "protolp": proto_lp,
    "protolp-free": lambda x, y, c: proto_lp(x, y, c, balanced=False),
    "paddle": paddle,
    "unem-gaussian": unem,
    "bavardage": bavardage,
    "ilpc": ilpc,
}


def run(name, x, y, classes):
    return METHODS[name](unit(np.asarray(x, dtype=np.float64)), np.asarray(y), classes)


def golden(path):
    """Pools of overlapping clusters: balanced and not, with one and with several labels of a class."""
    random = np.random.default_rng(20)
    pools = []
    for shots, sizes in [((1, 1, 1), (12, 12, 12)), ((2, 1, 3, 2), (16, 9, 6, 4))]:
        centres = random.gamma(0.6, size=(len(sizes), 24))
        draw = lambda c: np.round(centres[c] + random.gamma(0.7, size=24), 4)
        y = [c for c, s in enumerate(shots) for _ in range(s)]
        truth = [c for c, s in enumerate(sizes) for _ in range(s)]
        x = np.array([draw(c) for c in y + truth])
        pools.append({"features": x.tolist(), "labels": y, "truth": truth})
    for pool in pools:
        x, y, truth = np.array(pool["features"]), pool["labels"], pool.pop("truth")
        found = {}
        for name in METHODS:
            found[name] = run(name, x, y, max(y) + 1).round(9).tolist()
            right = (np.array(found[name]).argmax(1) == truth).mean()
            print(f"{max(y) + 1} classes, {name}: {right:.2f}")
        pool["posterior"] = found
    with open(path, "w") as file:
        json.dump(pools, file, separators=(",", ":"))


def episode_list(features, folder, count, names):
    values = np.load(features).astype(np.float64)
    load = lambda name: np.load(f"{folder}/{name}.npy")
    support, query, answer = load("support"), load("query_flat"), load("query_label")
    for name in names:
        scores = []
        for e in range(int(count)):
            y = np.repeat(np.arange(support.shape[1]), support.shape[2])
            valid = query[e] >= 0
            x = values[np.concatenate([support[e].ravel(), query[e][valid]])]
            found = run(name, x, y, support.shape[1]).argmax(1)
            scores.append((found == answer[e][valid]).mean())
        half = 1.96 * np.std(scores) / np.sqrt(len(scores))
        print(f"{name}: {100 * np.mean(scores):.2f} ± {100 * half:.2f}")


if __name__ == "__main__":
    if sys.argv[1] == "golden":
        golden(sys.argv[2])
    else:
        episode_list(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])
