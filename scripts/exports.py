"""Imports what `trustpath serve` exports into the programs that the formats are of.

    pip install Pillow datasets pycocotools fiftyone datumaro
    python scripts/exports.py target/release/trustpath

Draws images of three kinds, labels some of them through the server, downloads every format, and lets each program that is
installed read its own: Hugging Face datasets (`imagefolder`), pycocotools (COCO), FiftyOne's importers (its classification dataset, class folders) and
datumaro (CVAT for images). What is not installed is reported as skipped.
"""

import json
import os
import pathlib
import random
import shutil
import sys
import tempfile

from PIL import Image, ImageDraw
from server_session import Session

KINDS = ["disc", "bar", "corner"]
COUNT = 60


def draw(kind, seed):
    """A small image whose class can be seen."""
    rng = random.Random(seed)
    shade = lambda low, high: tuple(rng.randint(low, high) for _ in range(3))
    image = Image.new("RGB", (48, 40), shade(0, 70))
    pen = ImageDraw.Draw(image)
    x, y, colour = rng.randint(4, 12), rng.randint(2, 8), shade(150, 255)
    if kind == "disc":
        pen.ellipse((x, y, x + 26, y + 26), fill=colour)
    elif kind == "bar":
        pen.rectangle((x, 0, x + 8, 40), fill=colour)
    else:
        pen.polygon([(0, 0), (30 + x, 0), (0, 26 + y)], fill=colour)
    return image


def imported(name, read):
    """Runs one import, and says what came of it."""
    try:
        print(f"{name}: {read()}")
        return True
    except ImportError as error:
        print(f"{name}: skipped, {error.name} is not installed")
        return True
    except Exception as error:  # noqa: BLE001 - the import of another program may fail in any way
        print(f"{name}: FAILED, {type(error).__name__}: {error}")
        return False


def main(trustpath):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        photos = folder / "photos"
        truth = {}
        for number in range(COUNT):
            place = photos / "unlabeled"
            place.mkdir(parents=True, exist_ok=True)
            name = f"shot {number:02}.png"
            truth[f"unlabeled/{name}"] = truth[name] = KINDS[number % 3]
            draw(KINDS[number % 3], number).save(place / name)
        options = ["--labels", "answers.csv", "--precision", "0.7", "--closed"]
        with Session(trustpath, folder, "photos", *options) as session:
            rows = json.loads(session.get("items?rows=" + ",".join(map(str, range(COUNT)))))["items"]
            for item in rows[:30]:
                session.post("answer", {"rows": [item["row"]], "to": "label", "label": truth[item["id"]]})
            files = {}
            for name in ("coco.json", "cvat.xml", "fiftyone.json", "metadata.jsonl", "label-studio.json"):
                files[name] = folder / name
                files[name].write_bytes(session.get(f"export/{name}"))
            made = session.post("export-folder", {})
        expected = made["files"]
        ok = [
            imported("datasets, class folders", lambda: class_folders(folder / made["folder"], expected)),
            imported("datasets, metadata.jsonl", lambda: metadata(folder, photos, files["metadata.jsonl"])),
            imported("pycocotools", lambda: coco(files["coco.json"], truth, expected)),
            imported("fiftyone, labels.json", lambda: fiftyone_json(folder, photos, files["fiftyone.json"], truth, expected)),
            imported("fiftyone, class folders", lambda: fiftyone_folders(folder / made["folder"], expected)),
            imported("datumaro, CVAT", lambda: cvat(folder, photos, files["cvat.xml"], truth, expected)),
        ]
    sys.exit(0 if all(ok) else 1)


def class_folders(made, expected):
    import datasets

    read = datasets.load_dataset("imagefolder", data_dir=str(made), split="train")
    assert len(read) == expected and sorted(read.features["label"].names) == sorted(KINDS), read
    assert read[0]["image"].size == (48, 40)
    return f"{len(read)} images, classes {read.features['label'].names}"


def metadata(folder, photos, file):
    import datasets

    copy = folder / "with-metadata"
    shutil.copytree(photos, copy)
    shutil.copy(file, copy / "metadata.jsonl")
    read = datasets.load_dataset("imagefolder", data_dir=str(copy), split="train", drop_labels=True)
    assert len(read) == COUNT and {"image", "label", "verdict", "probability"} <= set(read.column_names), read
    assert sum(verdict == "given" for verdict in read["verdict"]) == 30
    return f"{len(read)} images with {', '.join(name for name in read.column_names if name != 'image')}"


def coco(file, truth, expected):
    from pycocotools.coco import COCO

    read = COCO(str(file))
    assert len(read.getImgIds()) == expected and len(read.getCatIds()) == 3
    given = 0
    for category in read.loadCats(read.getCatIds()):
        for image in read.loadImgs(read.getImgIds(catIds=[category["id"]])):
            checked = read.loadAnns(read.getAnnIds(imgIds=[image["id"]]))[0]["checked"]
            given += checked
            assert not checked or truth[image["file_name"]] == category["name"], image
    assert given == 30
    return f"{len(read.getImgIds())} images, {given} of them checked, {len(read.getCatIds())} categories"


def importers():
    """FiftyOne's importers, which need no database, unlike its datasets."""
    os.environ.setdefault("FIFTYONE_DATABASE_VALIDATION", "false")
    os.environ.setdefault("FIFTYONE_DATABASE_URI", "mongodb://127.0.0.1:9/?serverSelectionTimeoutMS=100")
    import fiftyone.utils.data

    return fiftyone.utils.data


def fiftyone_json(folder, photos, file, truth, expected):
    kinds = importers()
    place = folder / "fiftyone"
    shutil.copytree(photos, place / "data")
    shutil.copy(file, place / "labels.json")
    with kinds.FiftyOneImageClassificationDatasetImporter(dataset_dir=str(place)) as read:
        labels = {pathlib.Path(path).name: label and label.label for path, _, label in read}
    labelled = {name: label for name, label in labels.items() if label is not None}
    assert len(labelled) == expected, len(labelled)
    wrong = sum(truth[name] != label for name, label in labelled.items())
    return f"{len(labels)} images, {len(labelled)} with a label, {wrong} of these wrong"


def fiftyone_folders(made, expected):
    with importers().ImageClassificationDirectoryTreeImporter(dataset_dir=str(made)) as read:
        labels = [label.label for _, _, label in read]
    assert len(labels) == expected and sorted(set(labels)) == sorted(KINDS)
    return f"{len(labels)} images of {', '.join(sorted(set(labels)))}"


def cvat(folder, photos, file, truth, expected):
    import datumaro

    place = folder / "cvat"
    shutil.copytree(photos, place / "images")
    shutil.copy(file, place / "annotations.xml")
    read = datumaro.Dataset.import_from(str(place), "cvat")
    names = read.categories()[datumaro.AnnotationType.label]
    labelled = [item for item in read if item.annotations]
    assert len(labelled) == expected, len(labelled)
    wrong = sum(truth[f"{item.id}.png"] != names[item.annotations[0].label].name for item in labelled)
    return f"{len(labelled)} tagged images, labels {[label.name for label in names]}, {wrong} wrong"


if __name__ == "__main__":
    main(str(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "target/release/trustpath").resolve()))
