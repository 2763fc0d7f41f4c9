"""Labels of a dataset on Ray: what one process finds, whatever the blocks and the workers that die."""

import hashlib
import os
import signal

import numpy as np
import pytest

import trustpath
from trustpath import distributed
from trustpath.distributed import _label

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
ray_data = pytest.importorskip("ray.data")

RESULTS = ["label", "probability", "credibility", "verdict", "rival"]


@pytest.fixture(scope="module")
def pool():
    """900 rows of four groups, as a table: every thirtieth has a label, and no row of the last group has one."""
    rng = np.random.default_rng(5)
    kind = rng.integers(0, 4, 900)
    X = rng.normal(size=(900, 12)).astype(np.float32)
    X[np.arange(900), kind] += 5.0
    y = np.array(["ant", "bee", "cat", ""])[kind].astype(object)
    y[np.arange(900) % 10 > 0] = None
    y[y == ""] = None
    return table(X, y)


def table(X, y, **columns):
    lists = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), X.shape[1])
    ids = pa.array([f"image {row}" for row in range(len(X))])
    return pa.table({"id": ids, "features": lists, "label": pa.array(y.tolist()), **columns})


def blocks(pool, count):
    cuts = np.linspace(0, len(pool), count + 1).astype(int)
    return ray_data.from_arrow([pool.slice(a, b - a) for a, b in zip(cuts, cuts[1:])])


def rows_of(dataset, by="id"):
    """The rows of a dataset in the order of their names, as a frame."""
    return dataset.to_pandas().sort_values(by).reset_index(drop=True)


def in_one_process(pool, sample, seed=0, **options):
    """What one process finds: the part is drawn as the documentation says."""
    X = np.array(pool.column("features").to_pylist(), dtype=np.float32)
    y = np.array(pool.column("label").to_pylist(), dtype=object)
    classes = sorted({label for label in y if label is not None})
    codes = [-1 if label is None else classes.index(label) for label in y]

    def key(row):
        text = f"{seed} {codes[row]} {pool.column('id')[row]} ".encode()
        return int.from_bytes(hashlib.blake2b(text + X[row].tobytes(), digest_size=8).digest(), "little")

    order = sorted(range(len(X)), key=key)
    unlabelled = [row for row in order if codes[row] < 0]
    left_out = set(unlabelled[max(0, sample - (len(X) - len(unlabelled))) :])
    part = [row for row in order if row not in left_out]
    fitted = trustpath.TrustPathClassifier(**options).fit(X[part], y[part])
    frame = fitted.predict_frame(X, ids=pool.column("id").to_pylist())
    return frame, y, len(part)


@pytest.mark.parametrize("sample", [300, 2000])
def test_results_are_those_of_one_process_for_any_blocks(cluster, pool, sample):
    one, y, part = in_one_process(pool, sample, average=True)
    assert part == min(sample, 900)
    given = np.array([label is not None for label in y])
    one = one.assign(given=y, known=given).sort_values("id").reset_index(drop=True)
    known = one["known"].to_numpy()
    found = [rows_of(distributed.label(blocks(pool, count), sample=sample, average=True)) for count in (1, 3, 7)]
    assert found[0].columns.tolist() == ["id", *RESULTS]
    for frame in found:
        assert frame["id"].tolist() == one["id"].tolist()
        assert frame["verdict"].tolist() == np.where(known, "given", one["verdict"]).tolist()
        assert frame["label"].fillna("").tolist() == np.where(known, one["given"], one["label"]).tolist()
        assert (frame["probability"] == np.where(known, 1.0, one["probability"])).all()
        same = frame["label"].fillna("") == one["label"]
        assert (frame["credibility"][same] == one["credibility"][same]).all() and frame["credibility"][~same].isna().all()
        assert frame["rival"][same].tolist() == one["rival"][same].tolist()
    assert {"given", "trusted", "none of these"} <= set(found[0]["verdict"])
    assert (found[0]["label"].isna() == (found[0]["verdict"] == "none of these")).all()


def test_another_seed_draws_another_part(cluster, pool):
    found = [rows_of(distributed.label(blocks(pool, 2), sample=300, seed=seed)) for seed in (0, 1)]
    one, _, _ = in_one_process(pool, 300, seed=1)
    one = one.sort_values("id").reset_index(drop=True)
    open_rows = found[1]["verdict"] != "given"
    assert (found[1]["probability"] == one["probability"])[open_rows].all()
    assert not found[0].equals(found[1])


def test_rows_without_names_have_the_same_results_for_any_blocks(cluster, pool):
    # Numeric columns, numeric labels with usual markers, and rows that occur twice.
    X = np.array(pool.column("features").to_pylist())
    y = np.array([{"ant": 3, "bee": 1, "cat": 2}.get(label, -1) for label in pool.column("label").to_pylist()])
    X[100:140], y[100:140] = X[140:180], y[140:180]
    plain = pa.table({**{f"x{k}": X[:, k] for k in range(12)}, "name": [f"{row:03}" for row in range(900)], "class": y})
    found = []
    for count in (1, 5):
        with pytest.warns(UserWarning, match="not numeric are not features: 'name'"):
            labelled = distributed.label(blocks(plain, count), label="class", sample=300)
        found.append(rows_of(labelled, by="name"))
    assert found[0].columns.tolist() == ["name", *RESULTS] and found[0].equals(found[1])
    assert (found[0]["label"][y >= 0] == y[y >= 0]).all()
    assert found[0]["probability"][100:140].tolist() == found[0]["probability"][140:180].tolist()


def test_parquet_is_read_and_written(cluster, pool, tmp_path):
    renamed = pool.rename_columns(["name", "embedding", "class"]).append_column("width", pa.array(range(900)))
    (tmp_path / "pool").mkdir()
    for k in range(3):
        parquet.write_table(renamed.slice(300 * k, 300), tmp_path / f"pool/{k}.parquet")
    columns = {"features": "embedding", "label": "class", "id": "name", "sample": 400}
    assert distributed.label(tmp_path / "pool", output=tmp_path / "out", **columns) is None
    written = rows_of(ray_data.read_parquet(str(tmp_path / "out")), by="name")
    one = rows_of(distributed.label(blocks(pool, 2), sample=400))
    assert written.columns.tolist() == ["name", "width", *RESULTS]
    assert written[RESULTS].equals(one[RESULTS]) and written["name"].tolist() == one["id"].tolist()
    with pytest.raises(ValueError, match="already exists"):
        distributed.label((tmp_path / "pool").as_uri(), output=tmp_path / "out", **columns)


def test_killed_workers_change_nothing(cluster, pool, tmp_path, monkeypatch):
    undisturbed = rows_of(distributed.label(blocks(pool, 3), sample=400))
    killed = tmp_path / "killed"
    killed.mkdir()

    def die(when):
        """Ends this process, once."""
        try:
            os.close(os.open(killed / when, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return
        os.kill(os.getpid(), signal.SIGKILL)

    def dying(function, name):
        def task(*arguments):
            found = function(*arguments)
            die(name)
            return found

        return task

    class Dying(_label.Rows):
        keys = dying(_label.Rows.keys, "drawing")

    monkeypatch.setattr(_label, "Rows", Dying)
    monkeypatch.setattr(_label, "_predict", dying(_label._predict, "predicting"))
    disturbed = rows_of(distributed.label(blocks(pool, 3), sample=400))
    assert {path.name for path in killed.iterdir()} == {"drawing", "predicting"}
    assert disturbed.equals(undisturbed)


def test_what_is_wrong_is_answered_in_a_sentence(cluster, pool, tmp_path):
    few = pool.slice(0, 60)
    ragged = pa.table({"features": pa.array([[1.0, 2.0], [1.0], [2.0, 1.0]]), "label": ["a", "b", None]})
    empty = few.set_column(2, "label", pa.array([None] * 60, pa.string()))
    cases = [
        (few, {"label": "class"}, "no column 'class'"),
        (few, {"features": ["features", "width"]}, "width"),
        (empty, {}, "no label at all"),
        (ragged, {}, "differ in length"),
        (few.drop_columns(["features"]), {"id": "name"}, "no numeric column"),
        (few, {"sample": 1}, "sample = 1"),
        (few, {"precision": 2.0}, "precision"),
        (few, {"colour": 1}, "colour"),
    ]
    for rows, options, sentence in cases:
        with pytest.raises(Exception, match=sentence):
            distributed.label(ray_data.from_arrow(rows), **options)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        distributed.label(tmp_path / "nowhere")
