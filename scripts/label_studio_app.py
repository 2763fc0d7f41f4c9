"""Runs trustpath beside the web application of Label Studio itself.

    pip install label-studio
    python scripts/label_studio_app.py target/release/trustpath

Starts `label-studio` with a database of its own in a temporary folder, creates a project, imports the tasks and predictions that
`trustpath label` wrote, exports the project and reads the export, connects `trustpath serve --label-studio` as a machine
learning backend, lets the application ask it for predictions, and annotates tasks so that the webhook is called.
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from label_studio import INTERFACE, KINDS, choice, export

TOKEN = "0123456789abcdef0123456789abcdef01234567"


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Application:
    """The web application."""

    def __init__(self, folder):
        command = shutil.which("label-studio", path=f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        if command is None:
            sys.exit("skipped: label-studio is not installed (pip install label-studio)")
        port = free_port()
        self.address = f"http://127.0.0.1:{port}"
        run = [command, "start", "--no-browser", "--port", str(port), "--data-dir", str(folder / "data")]
        run += ["--username", "somebody@example.com", "--password", "a-password-for-this-test", "--user-token", TOKEN]
        settings = {"LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true", "COLLECT_ANALYTICS": "false", "DEBUG": "false"}
        # Without these it refuses addresses of this machine, as a backend and as a webhook.
        settings |= {"ML_BLOCK_LOCAL_IP": "false", "SSRF_PROTECTION_ENABLED": "false"}
        self.log = (folder / "application.log").open("w")
        self.process = subprocess.Popen(run, cwd=folder, env={**os.environ, **settings}, stdout=self.log, stderr=self.log)
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"{self.address}/health", timeout=5):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.5)
        self.end()
        sys.exit("label-studio did not start")

    def end(self):
        """Ends the process."""
        self.process.terminate()
        self.process.wait(60)

    def ask(self, path, body=None, method=None):
        head = {"Authorization": f"Token {TOKEN}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(self.address + path, data, head, method=method)
        try:
            with urllib.request.urlopen(asked, timeout=300) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            sys.exit(f"{path}: {error.code} {error.read()[:600].decode(errors='replace')}")
        return json.loads(text) if text else None


def until(what, test):
    for _ in range(240):
        found = test()
        if found:
            return found
        time.sleep(0.5)
    sys.exit(f"{what} did not happen")


def main(trustpath):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "tasks.json").write_text(json.dumps(export()))
        run = [trustpath, "label", "tasks.json", "--closed", "--out", "predictions.json", "--quiet"]
        subprocess.run(run, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        app = Application(folder)
        try:
            version = app.ask("/api/version").get("release", "?")
            project = app.ask("/api/projects", {"title": "questions", "label_config": INTERFACE})["id"]
            written = json.loads((folder / "predictions.json").read_text())
            app.ask(f"/api/projects/{project}/import", written)
            about = app.ask(f"/api/projects/{project}")
            numbers = [about[f"{kind}_number"] for kind in ("task", "total_annotations", "total_predictions")]
            assert numbers == [60, 15, 45], numbers
            print(f"label-studio {version}: imported 60 tasks with 15 annotations and 45 predictions")

            exported = app.ask(f"/api/projects/{project}/export?exportType=JSON&download_all_tasks=true")
            (folder / "project.json").write_text(json.dumps(exported))
            port = str(free_port())
            run = [trustpath, "serve", "project.json", "--closed", "--labels", "answers.csv", "--label-studio", "--port", port, "--quiet"]
            serving = subprocess.Popen(run, cwd=folder, stdout=subprocess.PIPE, text=True)
            try:
                lines = iter(serving.stdout)
                backend = next(line.strip() for line in lines if line.strip().endswith("/label-studio"))
                print("export: read by trustpath serve")
                connected = app.ask("/api/ml", {"url": backend, "project": project, "title": "trustpath"})
                state = app.ask(f"/api/ml/{connected['id']}")
                assert state["state"] == "CO", state
                print(f"backend: connected, model {state.get('model_version') or connected.get('model_version')}")

                app.ask("/api/webhooks/", {"url": f"{backend}/webhook", "project": project, "send_payload": True, "send_for_all_actions": True})
                open_tasks = [task for task in exported if not task["annotations"]]
                for task in open_tasks[:12]:
                    kind = next(kind for kind in KINDS if f"the {kind} number" in task["data"]["text"])
                    app.ask(f"/api/tasks/{task['id']}/annotations/", {"result": [choice(kind)]})
                journal = folder / "answers.csv.journal"
                until("the webhook", lambda: journal.exists() and journal.read_text().count('"to":"label"') >= 12)
                print("webhook: 12 annotations are on the disk")

                def predicted():
                    everything = {"selectedItems": {"all": True, "excluded": []}, "filters": {"conjunction": "and", "items": []}, "ordering": []}
                    app.ask(f"/api/dm/actions?id=retrieve_tasks_predictions&project={project}", everything)
                    found = app.ask(f"/api/predictions?project={project}")
                    by_backend = [p for p in found if "trustpath" in (p["model_version"] or "") and p.get("score") is not None]
                    versions = {p["model_version"] for p in by_backend}
                    return versions if len(versions) > 1 else None

                versions = until("a prediction of the backend", predicted)
                print(f"predictions of the backend are in the project: {', '.join(sorted(versions))}")
            finally:
                serving.send_signal(2)
                serving.wait(60)
            answers = (folder / "answers.csv").read_text()
            assert answers.count(",checked") >= 12, answers
        finally:
            app.end()
            tail = (folder / "application.log").read_text()[-1500:]
            if sys.exc_info()[0] is not None:
                print(tail, file=sys.stderr)


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/trustpath").resolve()))
