"""Labels and audits on Ray: what one machine finds, whatever the workers that die."""

import os
import signal
import warnings

import numpy as np
import pytest

import trustpath
from trustpath import _trustpath, distributed
from trustpath.distributed import _blocks, _parts, _regions

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def pool():
    """240 instances of three groups, of which every eighth has a label; all labels, some of them wrong."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 240)
    X = rng.normal(size=(240, 12)).astype(np.float32)
    X[np.arange(240), truth] += 3.0
    names = np.array(["ant", "bee", "cat"])[truth]
    wrong = names.copy()
    wrong[[11, 120, 230]] = np.array(["ant", "bee", "cat"])[(truth[[11, 120, 230]] + 1) % 3]
    return X, np.where(np.arange(240) % 8 == 0, names, ""), wrong


def split(cuts, *arrays):
    return list(zip(*(np.split(array, cuts) for array in arrays)))


def read(found):
    return pa.concat_tables([parquet.read_table(file["file"]) for file in found["files"]])


def column(table, name):
    return table.column(name).to_numpy(zero_copy_only=False)


def same_as(table, rows, one):
    """Whether the lines of a table for these rows are what an estimator found, to the bit."""
    for name, values in (("label", one.transduction_), ("verdict", one.verdict_), ("reason", one.reason_)):
        assert (column(table, name)[rows] == values).all(), name
    assert (column(table, "probability")[rows] == one.probability_).all()
    assert (column(table, "credibility")[rows] == one.credibility_).all()


def test_a_pool_for_one_machine_is_labelled_as_there(cluster, pool, tmp_path):
    X, y, _ = pool
    one = trustpath.TrustPathClassifier(suggest=4).fit(X, y)
    far = distributed.label(split([70, 71], X, y), tmp_path, suggest=4)
    table = read(far)
    assert column(table, "row").tolist() == list(range(240)) and far["rows"] == [70, 1, 169]
    same_as(table, slice(None), one)
    assert far["suggestions"] == one.suggestions_.tolist() and far["classes"].tolist() == ["ant", "bee", "cat"]
    assert far["promised_precision"] == pytest.approx(one.promised_precision_)
    assert far["verdicts"] == {v: int((one.verdict_ == v).sum()) for v in np.unique(one.verdict_)}
    far["model"].save(tmp_path / "model")
    loaded = trustpath.TrustPathClassifier.load(tmp_path / "model")
    assert (loaded.predict(X[:20]) == one.predict(X[:20])).all()


def clusters(n, seed=3):
    """Rows of 8 overlapping groups in 24 dimensions, of which 20 of each have a label but for one group without any."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 8, n)
    X = np.abs(0.9 * rng.normal(size=(n, 24)) + 1.6 * rng.normal(size=(8, 24))[truth]).astype(np.float32)
    y = np.full(n, -1)
    for group in range(7):
        y[rng.choice(np.flatnonzero(truth == group), 20, replace=False)] = group
    return X, y, truth


def codes_of(table):
    """Labels as numbers, -1 for none."""
    return np.array([-1 if label is None else label for label in table.column("label").to_pylist()])


def test_regions_find_what_one_machine_finds(cluster, tmp_path):
    n = 21_000
    X, y, _ = clusters(n)
    X[7] = 0
    with pytest.warns(UserWarning, match="all zeros"):
        one = trustpath.TrustPathClassifier(suggest=3).fit(X, y)
    assert (one.verdict_ == "none of these").sum() > 300
    # One region has the rows of one machine: sums are added in another order.
    far = distributed.label(split([5000, 16_000], X, y), tmp_path / "one", regions=1, suggest=3)
    table = read(far)
    assert column(table, "row").tolist() == list(range(n)) and far["rows"] == [5000, 11_000, 5000]
    assert (codes_of(table) == one.transduction_).mean() > 0.9995
    assert (column(table, "verdict") == one.verdict_).mean() > 0.999
    assert abs(column(table, "credibility") - one.credibility_).max() < 0.01
    assert far["promised_precision"] == pytest.approx(one.promised_precision_, abs=1e-3)
    assert far["labeller"] == one.labeller_ and far["suggestions"] == one.suggestions_.tolist()
    ranks = table.column("suggested").to_pylist()
    assert [ranks.index(rank) for rank in (1, 2, 3)] == far["suggestions"] and ranks.count(None) == n - 3
    assert any("all zeros" in note for note in far["notes"]) and far["learnt_from"] == n
    assert (far["model"].predict(X[10:510], None, 1)["label"] == far["classes"].searchsorted(one.predict(X[10:510]))).mean() > 0.99
    far = distributed.label(split([5000, 16_000], X, y), tmp_path / "three", regions=3)
    table = read(far)
    assert column(table, "row").tolist() == list(range(n))
    assert sum(region["rows"] for region in far["regions"]) == n
    assert min(region["rows"] for region in far["regions"]) > n // 6
    assert (codes_of(table) == one.transduction_).mean() > 0.98
    assert np.nanmean(abs(column(table, "novelty") - one.novelty_)) < 0.005
    assert far["recall"] > 0.95
    verdicts, counts = np.unique(column(table, "verdict"), return_counts=True)
    assert far["verdicts"] == dict(zip(verdicts.tolist(), counts.tolist()))
    # What is dealt does not depend on the number of features beyond those that are kept.
    assert set(far["moved"]) >= {"rows of cells around", "rows to move towards", "graph", "results"}
    assert far["moved"]["dealing"] < n * (4 * 24 + 32)


def test_rules_label_the_rows_that_they_were_not_learnt_from(cluster, tmp_path, monkeypatch):
    X, y, truth = clusters(3000)
    options = {"regions": 2, "none_of_these": False}
    all_rows = distributed.label(split([1000], X, y), tmp_path / "all", **options)

    class Plan(_regions.Plan):
        def learns(self, rows):
            return rows % 2 == 0

    monkeypatch.setattr(_regions, "Plan", Plan)
    half = distributed.label(split([1000], X, y), tmp_path / "half", **options)
    assert 1500 < half["learnt_from"] < 1800 and all_rows["learnt_from"] == 3000
    tables = [read(all_rows), read(half)]
    labels = [codes_of(table) for table in tables]
    assert (labels[0] == labels[1]).mean() > 0.95
    left = np.flatnonzero((np.arange(3000) % 2 == 1) & (y < 0) & (truth < 7))
    right = [(of[left] == truth[left]).mean() for of in labels]
    assert min(right) > 0.8 and abs(right[0] - right[1]) < 0.03
    # The share that is trusted of the rows that rules were learnt from is that of the others.
    trusted = column(tables[1], "verdict") == "trusted"
    assert trusted.sum() > 300 and abs(trusted[::2].mean() - trusted[1::2].mean()) < 0.06
    assert "novelty" not in tables[0].column_names


def test_what_needs_all_rows_in_one_place_is_refused(cluster, pool, tmp_path):
    X, y, _ = pool
    cases = [
        ({"per_class": 5}, "per_class"), ({"labeller": "adaptive"}, "labeller"), ({"reduction": "lle"}, "reduction"),
        ({"exact": True}, "exact"), ({"regions": 0}, "regions = 0"), ({"regions": 3}, "regions = 3 is not usable for 240 rows"),
    ]
    for options, sentence in cases:
        with pytest.raises(ValueError, match=sentence):
            distributed.label(split([100], X, y), tmp_path, **{"regions": 2, **options})
    assert list(tmp_path.iterdir()) == []


def test_options_are_checked_before_anything_is_read(cluster, pool, tmp_path):
    X, y, _ = pool

    def load():
        (tmp_path / "read").touch()
        return X, y

    for options, sentence in [({"folds": 0}, "folds = 0"), ({"folds": 1, "regions": 2}, "folds = 1"), ({"regions": 2, "exact": True}, "exact")]:
        with pytest.raises(ValueError, match=sentence):
            distributed.label([load], tmp_path / "out", **options)
    assert list(tmp_path.iterdir()) == []


def test_signals_that_cannot_be_are_refused():
    array = np.zeros
    with pytest.raises(ValueError, match="class 1 has no labelled instance"):
        _trustpath.signals(array(4, dtype=np.uint32), array(4, dtype=np.float32), 2, array(1, dtype=np.int64) + 99, array(1, dtype=np.int64), 2, {})


def test_more_regions_than_places_are_refused(cluster, tmp_path):
    X, y, _ = clusters(1200)
    X[:] = np.eye(24, dtype=np.float32)[np.arange(1200) % 2]
    with pytest.raises(ValueError, match="regions = 6 is too many: the rows lie in fewer places"):
        distributed.label(split([100], X, y), tmp_path, regions=6)


def test_labels_of_many_rows_are_counted_without_a_warning():
    scanned = [{"labels": [5, -1], "counts": [7, 90]}, {"labels": [2, 5], "counts": [40, 1]}]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plan = _parts.plan_of(scanned, [97, 41], 2, _blocks.Columns(), False, None)
    assert plan.classes.tolist() == [2, 5] and plan.codes == {5: 1, -1: -1, 2: 0}
    assert plan.first.tolist() == [0, 97] and plan.to_all.tolist() == [False, True]
    scanned[1]["labels"] = ["?", "a"]
    scanned[0]["labels"] = ["b", "?"]
    with pytest.warns(UserWarning, match="130"):
        _parts.plan_of(scanned, [97, 41], 2, _blocks.Columns(), True, None)


def test_rows_are_dealt_evenly_whatever_their_order():
    to = _parts.part_of(np.arange(60_000), 6)
    for period in (1, 2, 3, 6, 64):
        counts = np.bincount(to[::period], minlength=6)
        assert abs(counts / len(to[::period]) - 1 / 6).max() < 5 * np.sqrt(5 / 36 / len(to[::period]))
    # The last two bits of the numbers that SplitMix64 draws from the seed 0.
    assert _parts.part_of(np.arange(5), 4).tolist() == [3, 0, 3, 0, 3]


def test_files_folders_functions_and_references_are_read_alike(cluster, pool, tmp_path):
    X, y, _ = pool
    ids = np.array([f"image {row}" for row in range(240)])
    folder, blocks = tmp_path / "in", split([90], X, y, ids)
    folder.mkdir()
    for k, (part, labels, names) in enumerate(blocks):
        lists = pa.FixedSizeListArray.from_arrays(pa.array(part.ravel()), 12)
        labels = pa.array([label or None for label in labels])
        table = pa.table({"name": names, "class": labels, "embedding": lists})
        parquet.write_table(table, folder / f"{k}.parquet")
    columns = {"label": "class", "id": "name"}
    sources = {
        "folder": (folder, columns),
        "scheme": (folder.as_uri(), columns),
        # A scheme that pyarrow leaves to fsspec.
        "fsspec": (folder.as_uri().replace("file://", "local://"), columns),
        "functions": ([lambda block=block: block for block in blocks], {}),
        "references": ([cluster.put(block) for block in blocks], {}),
    }
    tables = {}
    for name, (source, options) in sources.items():
        out = (tmp_path / name).as_uri() if name in ("scheme", "fsspec") else tmp_path / name
        out = out.replace("file://", "local://") if name == "fsspec" else out
        far = distributed.label(source, out, none_of_these=False, **options)
        assert far["rows"] == [90, 150]
        tables[name] = read(far)
    assert column(tables["folder"], "id").tolist() == ids.tolist()
    assert all(table.equals(tables["folder"]) for table in tables.values())


def test_a_dataset_of_ray_is_read(cluster, pool, tmp_path):
    data = pytest.importorskip("ray.data")
    X, y, _ = pool
    table = pa.table({**{f"x{j}": X[:, j] for j in range(12)}, "label": y})
    far = distributed.label(data.from_arrow([table.slice(0, 90), table.slice(90)]), tmp_path)
    assert far["rows"] == [90, 150]
    same_as(read(far), slice(None), trustpath.TrustPathClassifier().fit(X, y))


def test_an_audit_is_that_of_one_machine(cluster, pool, tmp_path):
    X, _, y = pool
    y = np.where(np.arange(240) % 50 == 7, None, y.astype(object))
    one = trustpath.audit(X, y)
    far = distributed.audit(split([100], X, y), tmp_path / "one")
    table = read(far)
    rows = np.flatnonzero(y != None)  # noqa: E711
    assert column(table, "row").tolist() == rows.tolist()
    assert (column(table, "score") == one.score[rows]).all()
    assert (column(table, "probability_wrong") == one.probability_wrong[rows]).all()
    assert far["suspects"] == int(one.suspect.sum()) and far["wrong"] == pytest.approx(one.wrong)
    assert far["most_suspicious"] == one.ranking[:100].tolist()
    for parts in (0, 3):
        with pytest.raises(ValueError, match=f"parts = {parts}"):
            distributed.audit(split([100], X, y), tmp_path / "none", parts=parts)
    # A class with few rows is in both parts, and each of its rows is reported once.
    y[:12] = "dog"
    rows = np.flatnonzero(y != None)  # noqa: E711
    far = distributed.audit(split([100], X, y), tmp_path / "two", parts=2)
    assert sum(part["rows"] for part in far["parts"]) == len(rows) + 12
    assert column(read(far), "row").tolist() == rows.tolist()
    assert {120, 230} <= set(far["most_suspicious"][:20])


def test_killed_workers_change_nothing(cluster, pool, tmp_path, monkeypatch):
    X, y, _ = pool
    blocks = split([90], X, y)
    undisturbed = read(distributed.label(blocks, tmp_path / "undisturbed", regions=2))
    killed = tmp_path / "killed"
    killed.mkdir()

    def die(when):
        """Ends this process, once."""
        try:
            os.close(os.open(killed / when, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    def load():
        # Dies when it is scanned and, once that was repeated, when it is looked at.
        calls = killed / "calls"
        with calls.open("a") as file:
            file.write(".")
        if calls.stat().st_size in (1, 3):
            die(f"call {calls.stat().st_size}")
        return blocks[0]

    def dying(function, name):
        def task(*arguments):
            found = function(*arguments)
            die(name)
            return found

        return task

    stages = ["product", "keep", "deal", "gather", "search", "sweep", "move", "distances", "learn", "apply"]
    for name in stages:
        monkeypatch.setattr(_regions, name, dying(getattr(_regions, name), name))
    monkeypatch.setattr(_parts, "write", dying(_parts.write, "write"))
    disturbed = distributed.label([load, blocks[1]], tmp_path / "disturbed", regions=2)
    assert sorted(path.name for path in killed.iterdir()) == sorted([*stages, "write", "call 1", "call 3", "calls"])
    assert read(disturbed).equals(undisturbed)
    assert sorted(path.name for path in (tmp_path / "disturbed").iterdir()) == ["block-00000.parquet", "block-00001.parquet"]


def test_a_worker_that_always_dies_is_given_up(cluster, tmp_path):
    def load():
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(RuntimeError, match="lost more than 1 times"):
        distributed.label([load], tmp_path, retries=1)
    assert list(tmp_path.iterdir()) == []


def test_bad_blocks_and_folders_are_answered_in_a_sentence(cluster, pool, tmp_path):
    X, y, _ = pool
    (tmp_path / "empty").mkdir()
    table = pa.table({"x": X[:, 0], "class": y})
    ragged = pa.table({"x": pa.array([[1.0, 2.0], [1.0]]), "label": ["a", "b"]})
    cases = [
        ([], {}, ValueError, "blocks is empty"),
        (tmp_path / "empty", {}, ValueError, "no parquet files"),
        ([tmp_path / "nowhere.parquet"], {}, OSError, "nowhere.parquet"),
        ([tmp_path / "file.csv"], {}, ValueError, "neither an .npz nor a .parquet"),
        ([(["a text"] * 240, y)], {}, TypeError, "holds texts"),
        ([(X, y[:-1])], {}, ValueError, "239 labels for 240 rows"),
        ([(X, y), (X[:, :2], y)], {}, ValueError, "block 1 has 2 features"),
        ([(X, np.full(240, ""))], {}, ValueError, "no label at all"),
        ([cluster.put(table)], {}, ValueError, "no column 'label'"),
        ([cluster.put(ragged)], {}, ValueError, "differ in length"),
        ([(X, y)], {"precision": 2.0}, ValueError, "precision"),
        ([(X, y)], {"colour": 1}, TypeError, "colour"),
    ]
    for blocks, options, error, sentence in cases:
        with pytest.raises(error, match=sentence):
            distributed.label(blocks, tmp_path / "out", **options)
    assert list((tmp_path / "out").iterdir()) == []
    distributed.label([(X, y)], tmp_path / "out")
    with pytest.raises(ValueError, match="results of another run"):
        distributed.label([(X, y)], tmp_path / "out")


def test_tables_give_features_labels_and_names():
    table = pa.table({"a": [1.0, 2.0], "b": [3, 4], "text": ["x", "y"], "label": [1, None]})
    X, y, ids = _blocks.load(table)
    assert X.tolist() == [[1.0, 3.0], [2.0, 4.0]] and y.tolist() == [1, None] and ids is None
    X, _, ids = _blocks.load(table, _blocks.Columns(features=["b", "a"], id="text"))
    assert X.tolist() == [[3.0, 1.0], [4.0, 2.0]] and ids.tolist() == ["x", "y"]
    lists = pa.table({"v": pa.array([[1.0, 2.0], [3.0, 4.0]]), "w": pa.array([[0], [0]]), "label": ["a", "b"]})
    assert _blocks.load(lists, _blocks.Columns(features=["v"])).X.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(ValueError, match="several columns of lists"):
        _blocks.load(lists)
