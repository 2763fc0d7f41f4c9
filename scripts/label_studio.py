"""Checks what trustpath writes for Label Studio by the package of Label Studio itself.

    pip install label-studio-sdk
    python scripts/label_studio.py target/release/trustpath

Labels an export of texts, validates every task of the result by the interface parser of the package, then starts
`trustpath serve --label-studio`, sends the requests of Label Studio, and validates the predictions that come back.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import urllib.request

try:
    from label_studio_sdk.label_interface import LabelInterface
    from label_studio_sdk.label_interface.objects import PredictionValue
except ImportError:
    sys.exit("skipped: label-studio-sdk is not installed (pip install label-studio-sdk)")

KINDS = ["card", "pin", "transfer"]
INTERFACE = """<View><Text name="body" value="$text"/><Choices name="kind" toName="body">
  <Choice value="card"/><Choice value="pin"/><Choice value="transfer"/></Choices></View>"""


def choice(kind):
    value = {"choices": [kind]}
    return {"id": "a", "from_name": "kind", "to_name": "body", "type": "choices", "value": value}


def export():
    """Tasks as a project exports them; a quarter of them is annotated."""
    tasks = []
    for number in range(60):
        kind = KINDS[number % 3]
        text = f"question {number} about the {kind}: the {kind} number {number % 7} does not work"
        annotation = {"id": number, "completed_by": 1, "was_cancelled": False, "result": [choice(kind)]}
        annotated = number % 12 < 3
        tasks.append({"id": 1000 + number, "data": {"text": text}, "annotations": [annotation] if annotated else []})
    return tasks


def check(interface, task):
    """Lets the package judge a task: its data, annotations and predictions."""
    assert interface.validate_task({"data": task["data"]}), task
    for annotation in task.get("annotations", []):
        assert interface.validate_annotation(annotation), annotation
    for prediction in task.get("predictions", []):
        check_prediction(interface, prediction)


def check_prediction(interface, prediction):
    errors = interface.validate_prediction(prediction, return_errors=True)
    assert not errors, (errors, prediction)
    value = PredictionValue(**prediction)
    assert 0 <= value.score <= 1 and value.model_version.startswith("trustpath-"), prediction


def request(address, body=None):
    data = None if body is None else json.dumps(body).encode()
    asked = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return json.load(answer)


def main(trustpath):
    interface = LabelInterface(INTERFACE)
    tasks = export()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "tasks.json").write_text(json.dumps(tasks))
        run = [trustpath, "label", "tasks.json", "--closed", "--out", "predictions.json", "--quiet"]
        subprocess.run(run, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        written = json.loads((folder / "predictions.json").read_text())
        for task in written:
            check(interface, task)
        predicted = sum("predictions" in task for task in written)
        annotated = sum("annotations" in task for task in written)
        assert (len(written), annotated, predicted) == (60, 15, 45), (annotated, predicted)
        print(f"files: {len(written)} tasks are valid, {annotated} with annotations, {predicted} with predictions")

        run = [trustpath, "serve", "tasks.json", "--closed", "--labels", "answers.csv", "--label-studio", "--quiet"]
        serving = subprocess.Popen(run, cwd=folder, stdout=subprocess.PIPE, text=True)
        try:
            address = next(line.strip() for line in serving.stdout if line.strip().endswith("/label-studio"))
            assert request(f"{address}/health")["status"] == "UP"
            project = {"project": "1.1700000000", "schema": INTERFACE, "hostname": "", "access_token": ""}
            assert request(f"{address}/setup", project)["model_version"]
            for number in (5, 6, 7):
                said = {
                    "action": "ANNOTATION_CREATED",
                    "project": {"id": 1, "label_config": INTERFACE},
                    "task": tasks[number],
                    "annotation": {"id": 1, "was_cancelled": False, "result": [choice(KINDS[number % 3])]},
                }
                assert request(f"{address}/webhook", said)["recorded"] == 1
            asked = {"tasks": tasks, "project": "1.1700000000", "label_config": INTERFACE, "params": {}}
            for _ in range(600):
                results = request(f"{address}/predict", asked)["results"]
                if all(prediction["result"] for prediction in results):
                    break
                time.sleep(0.1)
            assert len(results) == len(tasks)
            for prediction in results:
                check_prediction(interface, prediction)
            print(f"backend: {len(results)} predictions are valid, by {results[0]['model_version']}")
        finally:
            serving.send_signal(2)
            serving.wait(60)
        answers = (folder / "answers.csv").read_text()
        assert answers.count(",checked") == 3, answers
        print("webhook: 3 annotations are in the labels file")


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/trustpath").resolve()))
