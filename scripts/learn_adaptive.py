#!/usr/bin/env python3
"""Learns the schedule of the adaptive mode by unrolling it on validation episodes, and prints it as Rust.

    python scripts/learn_adaptive.py learn FEATURES... --out schedule.json [--start schedule.json] [--seconds 280]
    python scripts/learn_adaptive.py print schedule.json > crates/trustpath/src/transductive/adaptive/learned.rs
    python scripts/learn_adaptive.py evaluate FEATURES... --start schedule.json [--classes odd]
    python scripts/learn_adaptive.py reference --start schedule.json

FEATURES are .npy files, each with its labels beside it in FEATURES-labels.npy: of validation classes alone. It needs PyTorch, and a GPU in
practice. The loop is stated here a second time, with batches of episodes in place of blocks of rows; `reference` prints what the test
`the_schedule_gives_what_its_script_gives` compares with. The loss is one minus the probability of the true class, plus a tenth of
the cross-entropy.
"""

import argparse
import json
import math
import time

import numpy as np
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
BEFORE, AFTER = 7, 12  # covariates before and after the first pass, with a leading one
EPOCHS = {("free", 1): 15, ("priced", 1): 12, ("free", 2): 14, ("priced", 2): 8}
LINES = ["sharpness", "marginal", "step", "labelled", "neighbors", "spread", "breadth"]
FIXED = {"smoothing": BEFORE, "metric": AFTER, "priced_metric": AFTER, "belief": AFTER, "balance": AFTER}


def unit(x):
    return x / x.norm(dim=-1, keepdim=True).clamp_min(1e-12)


class Features:
    """Power-transformed rows of unit length, and the rows of each class."""

    def __init__(self, path, classes="all"):
        x = torch.tensor(np.load(path).astype(np.float32)).to(DEVICE)
        self.x, self.name = power(x), path.rsplit("/", 1)[-1]
        names, labels = np.unique(np.load(path.removesuffix(".npy") + "-labels.npy"), return_inverse=True)
        kept = range({"all": 0, "even": 0, "odd": 1}[classes], len(names), 1 if classes == "all" else 2)
        rows = [np.flatnonzero(labels == k) for k in kept]
        self.largest = max(map(len, rows))
        table = np.full((len(rows), self.largest), -1)
        for at, members in enumerate(rows):
            table[at, : len(members)] = members
        self.rows = torch.tensor(table).to(DEVICE)
        self.sizes = torch.tensor([len(members) for members in rows]).to(DEVICE)

    def draw(self, count, way, shot, queries, balance, random):
        """Episodes as (rows, labels of the queries): the labelled rows come first, class by class. `balance` is "equal", the
        concentration of a Dirichlet distribution, or the number of classes that the queries belong to."""
        if way > len(self.rows):
            return None
        drawn = count if balance == "equal" or isinstance(balance, tuple) else 4 * count
        classes = torch.rand(drawn, len(self.rows), generator=random, device=DEVICE).argsort(1)[:, :way]
        if drawn == count:
            present = way if balance == "equal" else balance[0]
            counts = torch.zeros(drawn, way, dtype=torch.long, device=DEVICE)
            counts[:, :present] = queries // present
            counts[:, : queries - present * (queries // present)] += 1
        else:
            shares = torch.distributions.Dirichlet(torch.full((drawn, way), float(balance), device=DEVICE)).sample()
            members = torch.multinomial(shares.clamp_min(1e-9), queries, replacement=True, generator=random)
            counts = torch.zeros(drawn, way, device=DEVICE).scatter_add_(1, members, torch.ones_like(members).float()).long()
        fitting = ((counts + shot) <= self.sizes[classes]).all(1).nonzero()[:count, 0]
        if len(fitting) < min(count, 16):
            return None
        classes, counts = classes[fitting], counts[fitting]
        needed = int(counts.max()) + shot
        rows = self.rows[classes]
        keys = torch.rand(rows.shape, generator=random, device=DEVICE) + (rows < 0) * 10
        rows = rows.gather(2, keys.argsort(2)[:, :, :needed])
        ends = counts.cumsum(1)
        at = torch.arange(queries, device=DEVICE).expand(len(rows), -1).contiguous()
        labels = torch.searchsorted(ends, at, right=True)
        place = at - (ends - counts).gather(1, labels) + shot
        support = rows[:, :, :shot].flatten(1)
        return self.x[torch.cat([support, rows.flatten(1).gather(1, labels * needed + place)], 1)], labels


def power(x):
    x = unit(x)
    signed = -x.clamp_max(0).sum() >= 0.1 * x.abs().sum()
    return unit(x.sign() * x.abs().sqrt() if signed else (x.clamp_min(0) + 1e-6).sqrt())


def span(x):
    if x.shape[1] > x.shape[2]:
        return x
    jitter = 2e-5 if x.dtype == torch.float32 else 1e-10
    return torch.linalg.cholesky(x @ x.mT + jitter * torch.eye(x.shape[1], device=DEVICE, dtype=x.dtype))


def neighbors(x, k=3):
    z = unit(x - x.mean(1, keepdim=True))
    cosines = z @ z.mT - 3 * torch.eye(x.shape[1], device=DEVICE, dtype=x.dtype)
    values, at = cosines.topk(k, dim=2)
    a = torch.zeros_like(cosines).scatter(2, at, values.clamp_min(0))
    a = torch.maximum(a, a.mT)
    return a / a.sum(2, keepdim=True).clamp_min(1e-9)


def ratio(marginal, n):
    return 2 * n * (marginal * (marginal.shape[-1] * marginal).clamp_min(1e-9).log()).sum(-1).clamp_min(0)


def log_odds(share, limit):
    share = share.clamp(limit, 1 - limit)
    return (share / (1 - share)).log() - 2


def initial():
    """Constants before learning: an earlier schedule that was set by hand."""
    odds = lambda p: math.log(p / (1 - p))
    ends = {
        "free": {"sharpness": (math.log(3.6), math.log(7.2)), "marginal": (math.log(40), math.log(5)), "step": (odds(0.2),) * 2},
        "priced": {"sharpness": (math.log(7.2),) * 2, "marginal": (0.0, 0.0), "step": (odds(0.3),) * 2},
    }
    schedule = {}
    for branch in ("free", "priced"):
        for at, covariates in ((1, BEFORE), (2, AFTER)):
            for line in LINES:
                slopes = [0.0] * (covariates - 1)
                if line == "sharpness":
                    slopes[0] = 1 / math.log(5)
                if line == "marginal" and branch == "free":
                    slopes[1] = 0.5
                schedule[f"{branch}{at}.{line}"] = [*ends[branch].get(line, (0.0, 0.0)), *slopes]
    first = {"smoothing": odds(0.15), "metric": odds(0.2), "priced_metric": odds(0.2)}
    for name, size in FIXED.items():
        schedule[name] = [first.get(name, 0.0)] + [0.0] * (size - 1)
    schedule["balance"][9] = -3.0
    return schedule


class Adaptive(torch.nn.Module):
    def __init__(self, schedule, dtype=torch.float32):
        super().__init__()
        named = {name.replace(".", "_"): torch.tensor(v, dtype=dtype) for name, v in schedule.items()}
        self.constants = torch.nn.ParameterDict({name: torch.nn.Parameter(v) for name, v in named.items()})

    def schedule(self):
        return {name: self.constants[name.replace(".", "_")].detach().cpu().tolist() for name in initial()}

    def share(self, name, z):
        return torch.sigmoid(z @ self.constants[name])

    def fit(self, branch, at, x, graph, way, shot, z, start=None, belief=None):
        """One pass of one branch: its posterior, its log-weights and the posterior at equal weights."""
        epochs, labelled = EPOCHS[branch, at], way * shot
        n = x.shape[1] - labelled
        queries, support = x[:, labelled:], x[:, :labelled].unflatten(1, (way, shot)).sum(2)
        labels = torch.eye(way, device=DEVICE, dtype=x.dtype).repeat_interleave(shot, 0).expand(len(x), -1, -1)
        spread = (1 - x.mean(1).pow(2).sum(-1)).clamp_min(1e-6)[:, None, None]
        p = x.new_zeros(len(x), n, way) if start is None else start
        means = (support + p.mT @ queries) / (shot + p.sum(1))[..., None]
        weights = x.new_zeros(len(x), 1, way)
        for epoch in range(epochs + 1):
            progress = min(1.0, epoch / (epochs - 1))

            def line(name):
                constants = self.constants[f"{branch}{at}_{name}"]
                ends = constants[0] + (constants[1] - constants[0]) * progress
                return (ends + z[:, 1:] @ constants[2:])[:, None, None]

            centres = unit(means) if branch == "free" else means
            distances = 1 + centres.pow(2).sum(-1)[:, None] - 2 * queries @ centres.mT
            sharpness = line("sharpness").exp() / spread
            if epoch == 0:
                g = -sharpness * distances
            else:
                distances = distances.clamp_min(1e-6)
                sums, counts = (p * distances).sum(1), p.sum(1)
                mean = sums.sum(1, keepdim=True) / counts.sum(1, keepdim=True)
                broad = ((sums + 5 * mean) / (counts + 5) / mean).log()[:, None]
                g = -sharpness * distances * (-line("spread") * broad).exp() - line("breadth") * broad
                if graph is not None:
                    g = g + line("neighbors") * (graph[:, labelled:] @ (torch.cat([labels, p], 1) - 1 / way))
            g = g - g.max(-1, keepdim=True)[0].detach()
            if branch == "free":
                worth = line("marginal").exp()
                for _ in range(3):
                    p = torch.softmax(g + weights, -1)
                    weights = ((p.sum(1, keepdim=True) + worth * way * belief) / (n + worth * way)).log()
            else:
                cap = line("marginal").exp()

                def sweep(prices):
                    assigned = torch.logsumexp(g - torch.logsumexp(g + prices, -1, keepdim=True), 1, keepdim=True)
                    prices = math.log(n / way) - assigned
                    prices = prices - prices.mean(-1, keepdim=True)
                    return torch.maximum(torch.minimum(prices, cap), -cap)

                with torch.no_grad():
                    for _ in range(10 if epoch == 0 else 4):
                        weights = sweep(weights)
                for _ in range(2):
                    weights = sweep(weights)
            p = torch.softmax(g + weights, -1)
            if epoch < epochs:
                bold = line("labelled").exp()
                target = (bold * support + p.mT @ queries) / (bold[:, 0] * shot + p.sum(1))[..., None]
                means = means + torch.sigmoid(line("step")) * (target - means)
        return p, weights, torch.softmax(g, -1)

    def whiten(self, x, p, way, shot, shrink):
        labels = torch.eye(way, device=DEVICE, dtype=x.dtype).repeat_interleave(shot, 0).expand(len(x), -1, -1)
        soft = torch.cat([labels, p], 1)
        residuals = x - soft @ ((soft.mT @ x) / soft.sum(1)[..., None])
        scatter = residuals.mT @ residuals / x.shape[1]
        mean = torch.diagonal(scatter, dim1=1, dim2=2).sum(-1) / min(x.shape[1:])
        shrink = shrink[:, None, None]
        metric = (1 - shrink) * torch.eye(x.shape[2], device=DEVICE, dtype=x.dtype)
        root = torch.linalg.cholesky(metric + shrink * scatter / mean.clamp_min(1e-9)[:, None, None])
        return unit(torch.linalg.solve_triangular(root, x.mT, upper=False).mT)

    def forward(self, x, way, shot, graph=True):
        """The probability of balance, and the posteriors of the free and of the priced branch."""
        n = x.shape[1] - way * shot
        mean = x.mean(1)
        about = x - mean[:, None]
        products = about @ about.mT
        dimensions = torch.diagonal(products, dim1=1, dim2=2).sum(-1) ** 2 / products.pow(2).sum((1, 2))
        spread = (1 - mean.pow(2).sum(-1)).clamp_min(1e-6)
        one = x.new_ones(len(x))
        load = n / (15 * way)
        known = [one, one * math.log(way / 5), one * math.log(load), one * math.log(shot), spread.log() + 0.7]
        z = torch.stack([*known, dimensions.log() - 3.3, one * (0.0 if graph else 1.0)], 1)
        a = neighbors(x) if graph else None
        if graph:
            move = self.share("smoothing", z)[:, None, None]
            x = unit((1 - move) * x + move * (a @ x))
        free, weights, _ = self.fit("free", 1, x, a, way, shot, z, belief=1 / way)
        priced, _, unweighted = self.fit("priced", 1, x, a, way, shot, z)
        deviations = [(ratio(p.mean(1), n) / ((way - 1) / 4) / load**0.6 + 0.05).log() for p in (free, unweighted)]
        certain = log_odds(free.max(-1)[0].mean(1), 1e-3)
        agree = log_odds((free.argmax(-1) == priced.argmax(-1)).to(x.dtype).mean(1), 0.02)
        found = [(d - 1.15) / 2 for d in deviations] + [(sum(deviations) - 2.3) / 2, certain, agree]
        z = torch.cat([z, torch.stack(found, 1)], 1)
        mix = self.share("belief", z)[:, None, None]
        belief = mix * weights.exp() + (1 - mix) / way
        in_free = self.whiten(x, free, way, shot, self.share("metric", z))
        in_priced = self.whiten(x, priced, way, shot, self.share("priced_metric", z))
        free = self.fit("free", 2, in_free, a, way, shot, z, belief=belief)[0]
        priced = self.fit("priced", 2, in_priced, a, way, shot, z, start=priced)[0]
        return self.share("balance", z), free, priced


def pool(random):
    """A kind of pool to learn from: ways, shots, queries and balance."""
    if random.random() < 0.06:
        many = [(30, 1, 450, "equal"), (30, 1, 450, 2), (30, 5, 300, 2), (40, 2, 400, "equal"), (20, 1, 75, 2), (40, 1, 300, 1)]
        return many[random.integers(len(many))]
    way = int(random.choice([2, 3, 5, 5, 5, 5, 8, 10, 16]))
    shot = int(random.choice([1, 1, 1, 2, 5, 5, 10, 20], p=[0.2, 0.15, 0.15, 0.1, 0.15, 0.1, 0.1, 0.05]))
    queries = min(way * int(random.choice([4, 8, 15, 15, 15, 20, 30, 45])), 300)
    balances = ["equal"] * 7 + [20, 20, 8, 8, 4, 2, 2, 2, 1, 1, 0.5, 0.5, "some", "some"]
    balance = balances[random.integers(len(balances))]
    if balance == "some":
        balance = (int(random.integers(1, way)),)
    return way, shot, queries, balance


def learn(model, kinds, seconds, rate, seed):
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    random, drawing = np.random.default_rng(seed), torch.Generator(device=DEVICE)
    drawing.manual_seed(seed)
    torch.manual_seed(seed)
    start, losses, step = time.time(), [], 0
    while (spent := time.time() - start) < seconds:
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1, 2 * (1 - spent / seconds) + 0.02)
        optimizer.zero_grad()
        for _ in range(4):
            kind, (way, shot, queries, balance) = kinds[random.integers(len(kinds))], pool(random)
            rows = way * shot + queries
            episodes = max(48, min(512, int(512 * (110 / rows) ** 2)))
            drawn = kind.draw(episodes, way, shot, queries, balance, drawing)
            if drawn is None:
                continue
            balanced, free, priced = model(span(drawn[0]), way, shot, graph=bool(random.random() >= 0.12))
            of_truth = lambda p: p.gather(2, drawn[1][..., None])[..., 0]
            mixed = balanced[:, None, None] * priced + (1 - balanced[:, None, None]) * free
            right = of_truth(mixed).clamp_min(1e-6)
            loss = (1 - right).mean() - 0.1 * right.log().mean() + 0.05 * (1 - of_truth(free)).mean()
            (loss / 4).backward()
            losses.append(loss.item())
        if torch.isfinite(torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)):
            optimizer.step()
        step += 1
        if step % 20 == 0:
            print(f"step {step}, {spent:.0f} s, mean loss {np.mean(losses[-80:]):.4f}", flush=True)


@torch.no_grad()
def evaluate(model, kinds, episodes=300):
    pools = [(5, s, 75, b) for s in (1, 5) for b in ("equal", 20.0, 8.0, 2.0, 1.0, 0.5, (3,))]
    pools += [(way, s, n, b) for way, n in ((2, 30), (5, 20), (16, 240)) for s in (1, 5) for b in ("equal", 2.0)]
    pools += [(5, 1, 250, "equal"), (5, 20, 75, "equal"), (5, 20, 75, 2.0), (20, 1, 75, (5,)), (20, 5, 75, (5,))]
    for kind in kinds:
        for way, shot, queries, balance in pools:
            drawing = torch.Generator(device=DEVICE)
            drawing.manual_seed(5)
            torch.manual_seed(5)
            drawn = kind.draw(episodes, way, shot, queries, balance, drawing)
            if drawn is None:
                continue
            balanced, free, priced = model(span(drawn[0]), way, shot)
            mixed = balanced[:, None, None] * priced + (1 - balanced[:, None, None]) * free
            right = [100 * (p.argmax(-1) == drawn[1]).float().mean().item() for p in (mixed, free, priced)]
            print(kind.name, way, shot, queries, balance, "%.2f free %.2f priced %.2f" % tuple(right), flush=True)


def reference(model):
    """What the loop gives in double precision for small pools that a formula gives, for the test of the Rust code."""
    for counts in ([15, 15, 15, 15], [20, 17, 13, 10], [40, 10, 7, 3]):
        order = [k for k, count in enumerate(counts) for _ in range(count)]
        n = len(order)
        truth = list(range(len(counts))) + [order[i * 101 % n] for i in range(n)]
        i, j = np.meshgrid(np.arange(len(truth)), np.arange(140), indexing="ij")
        noise = np.sin((i * 7919 + j * 104729 + i * j) * 0.618)
        x = power(torch.tensor(np.where(j % 7 == np.array(truth)[:, None], 0.4, 0.0) + 0.55 * noise + 0.6))[None]
        with torch.no_grad():
            balanced, free, priced = model(span(x), len(counts), 1)
        mixed = balanced * priced + (1 - balanced) * free
        print(counts, round(balanced.item(), 7), np.round(mixed[0, ::15].numpy(), 6).tolist())


def as_rust(schedule):
    def array(values):
        texts = [f"{v:.3f}".rstrip("0") if abs(v) >= 5e-4 else "0.0" for v in values]
        return "[" + ", ".join(t + "0" if t.endswith(".") else t for t in texts) + "]"

    yield """//! The schedule of the adaptive mode: constants that `scripts/learn_adaptive.py` found by unrolling the loop on episodes of validation
//! classes of four kinds of features, and printed in this form. [`super::schedule`] says what each means.

use super::schedule::{Branch, Learned, Line};

/// The learned constants.
pub(super) const LEARNED: Learned = Learned {"""
    for branch in ("free", "priced"):
        yield f"{branch}: ["
        for at in (1, 2):
            lines = [(line, schedule[f"{branch}{at}.{line}"]) for line in LINES]
            yield "Branch {" + "".join(f"{line}: Line {{ ends: {array(c[:2])}, slopes: &{array(c[2:])} }}," for line, c in lines) + "},"
        yield "],"
    for name in FIXED:
        yield f"{name}: {array(schedule[name])},"
    yield "};"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["learn", "print", "evaluate", "reference"])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--start", help="constants to start from, as JSON")
    parser.add_argument("--out", default="schedule.json")
    parser.add_argument("--seconds", type=float, default=280)
    parser.add_argument("--rate", type=float, default=0.02)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--classes", choices=["all", "even", "odd"], default="all")
    options = parser.parse_args()
    if options.what == "print":
        with open(options.files[0]) as file:
            print("\n".join(as_rust(json.load(file))))
        return
    schedule = initial()
    if options.start:
        with open(options.start) as file:
            schedule = json.load(file)
    if options.what == "reference":
        reference(Adaptive(schedule, torch.float64).to(DEVICE))
        return
    model = Adaptive(schedule).to(DEVICE)
    kinds = [Features(path, options.classes) for path in options.files]
    if options.what == "learn":
        learn(model, kinds, options.seconds, options.rate, options.seed)
        with open(options.out, "w") as file:
            json.dump(model.schedule(), file)
    else:
        evaluate(model, kinds)


if __name__ == "__main__":
    main()
