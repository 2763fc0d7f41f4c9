"""The cost of an update of `trustpath serve`: user CPU seconds of the server for the first model of a session, which represents the
pool, and for those after it, which do not.

    pip install numpy
    python scripts/serve_updates.py features.npy labels.npy target/release/trustpath [ROWS] [UPDATES]

The pool has ROWS instances (10,000): rows of the features with jitter, 20 given labels of each class. Every update follows ten true
answers to what the page asks next. Linux only, since it reads /proc.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

import numpy as np


def user_seconds(process):
    return int(pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[11]) / os.sysconf("SC_CLK_TCK")


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
        run = [trustpath, "serve", "pool.npy", "--labels", "answers.csv", "--threads", "1", "--quiet"]
        serving = subprocess.Popen(run, cwd=folder, stdout=subprocess.PIPE, text=True)
        try:
            address = next(line.strip() for line in serving.stdout if line.strip().startswith("http://"))
            origin = "/".join(address.split("/")[:3])

            def get():
                with urllib.request.urlopen(address + "state", timeout=600) as answer:
                    return json.load(answer)

            def post(path, body):
                head = {"Content-Type": "application/json", "Origin": origin}
                asked = urllib.request.Request(address + path, json.dumps(body).encode(), head)
                with urllib.request.urlopen(asked, timeout=600) as answer:
                    return json.load(answer)

            def settled():
                while True:
                    state = get()
                    if state["model"] and not state["model"]["stale"] and not state["stage"]:
                        return state
                    time.sleep(0.25)

            before = 0.0
            for update in range(updates + 1):
                state = settled()
                now = user_seconds(serving.pid)
                what = "first model" if update == 0 else f"update {update}"
                print(f"{what}: {now - before:.2f} s of user CPU, {state['model']['seconds']:.2f} s on the clock")
                before = now
                for item in state["queue"][:10]:
                    post("answer", {"rows": [item["row"]], "to": "label", "label": truth[item["row"]]})
        finally:
            serving.send_signal(2)
            serving.wait(120)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], str(pathlib.Path(sys.argv[3]).resolve()), *map(int, sys.argv[4:6]))
