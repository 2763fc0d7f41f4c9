"""What the tests share."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import trustpath

ROOT = Path(__file__).resolve().parents[3]

# A cluster of this machine alone, without network access.
os.environ.update(
    RAY_USAGE_STATS_ENABLED="0",
    RAY_AUTH_MODE="disabled",
    RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0",
    RAY_enable_metrics_collection="0",
)


@pytest.fixture(scope="session")
def birds():
    """281 birds of five species."""
    data, target, names = trustpath.load_dataset("cub")
    rows = np.flatnonzero(target % 10 == 0)[:281]
    return data[rows], target[rows] // 10, names[::10]


@pytest.fixture(scope="session")
def few(birds):
    """The same with a label for every fifteenth bird."""
    X, truth, _ = birds
    return X, np.where(np.arange(len(truth)) % 15 == 0, truth, -1)


@pytest.fixture(scope="session")
def command():
    """The binary: named by TRUSTPATH_BINARY, or built."""
    named = os.environ.get("TRUSTPATH_BINARY") or ROOT / "target/release/trustpath"
    if not shutil.which(str(named)):
        pytest.skip("no binary to compare with: cargo build --release, or name one in TRUSTPATH_BINARY")
    return str(named)


@pytest.fixture(scope="session")
def cluster():
    """A Ray cluster of several worker processes, on the loopback address only."""
    ray = pytest.importorskip("ray")
    ray.init(
        num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1", log_to_driver=False,
        object_store_memory=200_000_000,
    )
    yield ray
    ray.shutdown()
