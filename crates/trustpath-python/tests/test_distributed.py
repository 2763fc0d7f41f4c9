"""Ray: several worker processes, some of which are killed in mid-run."""

import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

import trustpath
from trustpath import distributed
from trustpath.distributed import _credibility


def problem(n, d=4, c=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, c, n)
    X = rng.normal(size=(n, d))
    X[np.arange(n), y % d] += 1.5
    return X, np.array(["red", "green", "blue", "white"])[y]


def split(X, y, cuts):
    return list(zip(np.split(X, cuts), np.split(y, cuts)))


@pytest.mark.parametrize("n, cuts, options", [
    (6000, [], {"points": 30}),
    (6000, [2500], {}),
    (6000, [100, 101, 4000], {"points": 20}),
    (6000, [3000], {"penalty": "elementwise", "points": 12, "ratio": 0.1}),
    (60, [25], {"points": 12, "ratio": 0.2}),
])
def test_any_blocks_give_the_path_of_one_machine(cluster, n, cuts, options):
    X, y = problem(n)
    one = trustpath.credibility(X, y, **options)
    far = distributed.credibility(split(X, y, cuts), **options)
    assert far["rows"] == np.diff([0, *cuts, n]).tolist() and far["classes"].tolist() == ["blue", "green", "red"]
    for name in ("lambda", "vanish", "credibility"):
        np.testing.assert_allclose(far[name], one[name], rtol=0, atol=1e-8)
    assert (far["reenters"] == one["reenters"]).all()


def test_many_unknowns_travel_as_products(cluster):
    X, y = problem(800, d=60, c=4)
    one = trustpath.credibility(X, y, points=8, ratio=0.3)
    far = distributed.credibility(split(X, y, [300]), points=8, ratio=0.3)
    np.testing.assert_allclose(far["vanish"], one["vanish"], rtol=0, atol=1e-8)


def descendants():
    """Processes of the workers of this test, by number."""
    parents, workers = {}, []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                name = (folder / "cmdline").read_bytes()
                parents[int(folder.name)] = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                continue
            if name.startswith((b"ray::_Worker", b"ray::_episodes")):
                workers.append(int(folder.name))

    def ours(pid):
        while pid > 1:
            if pid == os.getpid():
                return True
            pid = parents.get(pid, 0)
        return False

    return [pid for pid in workers if ours(pid)]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds workers in /proc")
@pytest.mark.parametrize("source", ["arrays", "functions", "files"])
def test_a_path_goes_on_when_workers_die(cluster, monkeypatch, tmp_path, source):
    X, y = problem(6000)
    blocks = split(X, y, [2500])
    undisturbed = distributed.credibility(blocks, points=25)
    if source == "functions":
        blocks = [lambda block=block: block for block in blocks]
    elif source == "files":
        for k, (part, labels) in enumerate(blocks):
            np.savez(tmp_path / f"{k}.npz", X=part, y=labels)
        blocks = [tmp_path / f"{k}.npz" for k in range(2)]
    asked, killed = [], []
    real = _credibility._Workers.ask

    def kill_now_and_then(self, block, method, arguments=()):
        # In the middle of the path; and while a replacement is catching up.
        if self.questions in (1, 50, 51, 100):
            for pid in descendants()[: 1 if self.questions != 100 else 2]:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
        asked.append(method)
        return real(self, block, method, arguments)

    monkeypatch.setattr(_credibility._Workers, "ask", kill_now_and_then)
    disturbed = distributed.credibility(blocks, points=25)
    assert len(set(killed)) >= 4 and asked.count("cross") == 24
    for name in ("lambda", "vanish", "vanish_grid", "credibility", "reenters"):
        assert (disturbed[name] == undisturbed[name]).all()


def test_results_can_stay_where_the_rows_are(cluster, tmp_path):
    X, y = problem(6000)

    def sink(block, found):
        np.savez(tmp_path / f"{block}.npz", **found)

    far = distributed.credibility(split(X, y, [2500]), sink=sink, points=20)
    assert "vanish" not in far
    stored = np.concatenate([np.load(tmp_path / f"{k}.npz")["vanish"] for k in range(2)])
    np.testing.assert_allclose(stored, trustpath.credibility(X, y, points=20)["vanish"], rtol=0, atol=1e-8)


def test_bad_blocks_are_answered_in_a_sentence(cluster):
    X, y = problem(60)
    cases = [
        ([], ValueError, "blocks is empty"),
        ([(X, y[:-1])], ValueError, "59 labels for 60 rows"),
        ([(X, y), (X[:, :2], y)], ValueError, "block 1 has 2 coordinates"),
        ([(X * np.nan, y)], ValueError, "NaN"),
        ([(X, np.full(60, "red"))], ValueError, "one class only"),
        (["nowhere.npz"], OSError, "nowhere.npz"),
    ]
    for blocks, error, sentence in cases:
        with pytest.raises(error, match=sentence):
            distributed.credibility(blocks)
    with pytest.raises(ValueError, match="ratio = 2"):
        distributed.credibility([(X, y)], ratio=2.0)
    with pytest.raises(TypeError, match="colour is not an option"):
        distributed.credibility([(X, y)], colour=1)


def same(a, b):
    return a["accuracy"] == b["accuracy"] and all((p == q).all() for p, q in zip(a["scores"], b["scores"]))


def test_episodes_are_those_of_one_machine(cluster, birds):
    X, y, _ = birds
    one = trustpath.evaluate(X, y, way=3, episodes=50)
    seen = []
    for options in ({}, {"chunk": 7}, {"threads": 2}):
        far = distributed.evaluate(X, y, way=3, episodes=50, progress=lambda *at: seen.append(at), **options)
        assert same(one, far)
        assert seen[-1] == (50, 50) and len(seen) > 2
    with pytest.raises(ValueError, match="99 ways"):
        distributed.evaluate(X, y, way=99)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds workers in /proc")
def test_no_episode_is_lost_when_workers_die(cluster, birds):
    X, y, _ = birds
    one = trustpath.evaluate(X, y, way=3, episodes=400)
    killed = []

    def kill(done, total):
        if len(killed) < 3:
            for pid in descendants()[:1]:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    far = distributed.evaluate(X, y, way=3, episodes=400, chunk=10, progress=kill)
    assert len(set(killed)) == 3 and same(one, far)


def test_a_worker_that_always_dies_is_given_up(cluster):
    X, y = problem(60)

    def load():
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(RuntimeError, match="lost more than 1 times"):
        distributed.credibility([load], retries=1)
