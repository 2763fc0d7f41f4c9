"""The cost of an update of `trustpath serve`: user CPU seconds of the server for the first model of a session, which represents the
pool, and for those after it, which do not.

    pip install numpy
    python scripts/serve_updates.py features.npy labels.npy target/release/trustpath [ROWS] [UPDATES]

The pool has ROWS instances (10,000): rows of the features with jitter, 20 given labels of each class. Every update follows ten true
answers to what the page asks next. Linux only, since it reads /proc.
"""

import os
import pathlib
import sys
import tempfile
import time

import numpy as np
from server_session import Session


def user_seconds(process):
    return int(pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[11]) / os.sysconf("SC_CLK_TCK")


def settled(session):
    """The state, once the model knows all answers."""
    while True:
        state = session.state()
        if state["model"] and not state["model"]["stale"] and not state["stage"]:
            return state
        time.sleep(0.25)


def main(features, labels, trustpath, rows=10_000, updates=5):
    rng = np.random.default_rng(0)
    x, y = np.load(features).astype(np.float32), np.load(labels)
    at = rng.integers(len(x), size=rows)
    # Half of the spread of each feature, so that copies of a row differ as its class does.
    pool = np.abs(x[at] + 0.5 * x.std(axis=0) * rng.standard_normal((rows, x.shape[1]))).astype(np.float32)
    truth = [f"class {label}" for label in y[at]]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        np.save(folder / "pool.npy", pool)
        given = [row for name in sorted(set(truth)) for row in [r for r in range(rows) if truth[r] == name][:20]]
        (folder / "answers.csv").write_text("id,label\n" + "".join(f"{row},{truth[row]}\n" for row in given))
        with Session(trustpath, folder, "pool.npy", "--labels", "answers.csv", "--threads", "1") as session:
            before = 0.0
            for update in range(updates + 1):
                state = settled(session)
                now = user_seconds(session.process.pid)
                what = "first model" if update == 0 else f"update {update}"
                print(f"{what}: {now - before:.2f} s of user CPU, {state['model']['seconds']:.2f} s on the clock")
                before = now
                for item in state["queue"][:10]:
                    session.post("answer", {"rows": [item["row"]], "to": "label", "label": truth[item["row"]]})


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], str(pathlib.Path(sys.argv[3]).resolve()), *map(int, sys.argv[4:6]))
