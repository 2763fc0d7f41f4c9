"""A saved model in other engines: the code of docs/distributed.md, as it is printed there."""

import re
import shutil
import sys

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

import trustpath

pytest.importorskip("pyarrow")


@pytest.fixture
def folder(birds, tmp_path, monkeypatch):
    """A pool as two parquet files and the saved model; what the model says of the pool."""
    X, truth, names = birds
    pool = pd.DataFrame({"id": [f"bird {row}" for row in range(len(X))], "features": list(X)})
    part = pool.assign(label=np.where(np.arange(len(X)) % 15 == 0, names[truth], ""))
    code = snippets()["TrustPathClassifier()"]
    monkeypatch.chdir(tmp_path)
    exec(code, {"trustpath": trustpath, "part": part})
    (tmp_path / "pool").mkdir()
    pool[:150].to_parquet("pool/0.parquet")
    pool[150:].to_parquet("pool/1.parquet")
    model = trustpath.TrustPathClassifier.load("model.safetensors")
    return tmp_path, model.predict_frame(pool[["features"]], ids=pool["id"])


def snippets():
    """Code of the page, by a word that occurs in it."""
    page = (ROOT / "docs/distributed.md").read_text(encoding="utf-8")
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    return {word: next(text for text in code if word in text) for word in ("TrustPathClassifier()", "dask", "pyspark")}


def same(found, one):
    found = found.sort_values("id").reset_index(drop=True)
    one = one.sort_values("id").reset_index(drop=True)
    assert found.columns.tolist() == one.columns.tolist()
    assert all((found[name].astype(one[name].dtype) == one[name]).all() for name in one.columns)


def test_dask_predicts_as_one_process(folder):
    dask = pytest.importorskip("dask.dataframe")
    here, one = folder
    exec(snippets()["dask"], {})
    same(dask.read_parquet(here / "labelled-by-dask").compute(), one)


@pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java")
def test_spark_predicts_as_one_process(folder, monkeypatch):
    sql = pytest.importorskip("pyspark.sql")
    here, one = folder
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    # On the loopback address only.
    session = sql.SparkSession.builder.master("local[2]").config("spark.driver.bindAddress", "127.0.0.1")
    session = session.config("spark.driver.host", "127.0.0.1").config("spark.ui.enabled", "false").getOrCreate()
    try:
        exec(snippets()["pyspark"], {})
    finally:
        session.stop()
    same(pd.read_parquet(here / "labelled-by-spark"), one)
