"""Writes datasets/, archives/ and pickles/: the published formats with a few small images each.

Images are flat: the red of each says its number, so that a test can tell them apart. Files that Python 2
wrote are imitated by a pickler that writes bytes and strings as it did. Made with Python 3, NumPy 2.4
and Pillow 13.0:

    python3 make_datasets.py
"""
import io, os, pickle, struct, tarfile, zipfile, zlib
import numpy as np
from PIL import Image

os.chdir(os.path.dirname(os.path.abspath(__file__)))
for folder in ("datasets", "archives", "pickles"):
    os.makedirs(folder, exist_ok=True)


class Python2(pickle._Pickler):
    """Strings and bytes as Python 2 has them, protocol 2."""

    dispatch = dict(pickle._Pickler.dispatch)

    def __init__(self, file):
        super().__init__(file, protocol=2)

    def save_string(self, obj):
        data = obj.encode("latin1") if isinstance(obj, str) else obj
        head = b"U" + bytes([len(data)]) if len(data) < 256 else b"T" + struct.pack("<i", len(data))
        self.write(head + data)
        self.memoize(obj)

    dispatch[str] = dispatch[bytes] = save_string


def python2(obj):
    out = io.BytesIO()
    Python2(out).dump(obj)
    # The module was called so before NumPy 2.
    return out.getvalue().replace(b"cnumpy._core.", b"cnumpy.core.")


def write(name, data):
    path = os.path.join("datasets", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def flat(number, edge=12):
    return np.full((edge, edge, 3), (number, 2 * number, 255 - number), dtype=np.uint8)


def encoded(image, kind, **options):
    out = io.BytesIO()
    Image.fromarray(image).save(out, kind, **options)
    return out.getvalue()


# miniImageNet, mini-imagenet-cache-*.pkl: two classes of the split with four images each, the classes
# of the dictionary in no order. Train as Python 2 wrote it, val and test by Python 3.
splits = {
    "train": ("n01558993", "n01532829"),
    "val": ("n02091244", "n01855672"),
    "test": ("n01981276", "n01930112"),
}
for k, (split, (second, first)) in enumerate(splits.items()):
    data = {
        "image_data": np.stack([flat(10 * k + i) for i in range(8)]),
        "class_dict": {second: [4, 5, 6, 7], first: [0, 1, 2, 3]},
    }
    dump = python2 if split == "train" else lambda d: pickle.dumps(d, protocol=4 if split == "val" else 5)
    write(f"mini-cache/mini-imagenet-cache-{split}.pkl", dump(data))
    # miniImageNet, FewShotWithoutForgetting: labels interleaved.
    data = {
        "data": np.stack([flat(10 * k + i) for i in range(8)]),
        "labels": [0, 1] * 4,
        "catname2label": {second: 1, first: 0},
    }
    part = "train_phase_train" if split == "train" else split
    write(f"mini-category/miniImageNet_category_split_{part}.pickle", python2(data))
write("mini-category/miniImageNet_category_split_train_phase_val.pickle", python2({}))
# miniImageNet, csv files and a folder of images.
for k, (split, (second, first)) in enumerate(splits.items()):
    lines = ["filename,label"]
    for i in range(4):
        wnid = first if i < 2 else second
        name = f"{wnid}{i:08}.jpg"
        lines.append(f"{name},{wnid}")
        write(f"mini-csv/images/{name}", encoded(flat(10 * k + i), "JPEG"))
    write(f"mini-csv/{split}.csv", ("\n".join(lines) + "\n").encode())

# tieredImageNet: a list of PNGs as arrays N x 1, as cv2.imencode gives them; one is larger than a kilobyte.
rng = np.random.default_rng(3)
for k, split in enumerate(("train", "val", "test")):
    images = [flat(10 * k + i) for i in range(5)]
    images[4] = rng.integers(0, 256, (24, 24, 3), dtype=np.uint8)
    pngs = [np.frombuffer(encoded(p, "PNG"), dtype=np.uint8).reshape(-1, 1) for p in images]
    write(f"tiered/{split}_images_png.pkl", python2(pngs))
    labels = {
        "label_specific": np.array([1, 0, 1, 0, 2], dtype=np.int32),
        "label_general": np.zeros(5, dtype=np.int32),
        "label_specific_str": [f"{split} crane", f"{split} crane", f"{split} owl"],
        "label_general_str": ["bird"],
    }
    write(f"tiered/{split}_labels.pkl", python2(labels))

# CIFAR-100: images in planes, three classes.
def cifar(first, count):
    rows = [flat(first + i, 32).transpose(2, 0, 1).reshape(-1) for i in range(count)]
    return {
        "filenames": [f"{i}.png" for i in range(count)],
        "batch_label": "testing batch 1 of 1",
        "fine_labels": [i % 3 for i in range(count)],
        "coarse_labels": [0] * count,
        "data": np.stack(rows),
    }


def add(tar, name, data, **extra):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in extra.items():
        setattr(info, key, value)
    tar.addfile(info, io.BytesIO(data))


os.makedirs("datasets/cifar-100", exist_ok=True)
with tarfile.open("datasets/cifar-100/cifar-100-python.tar.gz", "w:gz") as tar:
    add(tar, "cifar-100-python/train", python2(cifar(0, 6)))
    add(tar, "cifar-100-python/test", python2(cifar(50, 3)))
    meta = {"fine_label_names": ["apple", "baby", "beaver"], "coarse_label_names": ["things"]}
    add(tar, "cifar-100-python/meta", python2(meta))
    add(tar, "cifar-100-python/file.txt~", b"")

# CUB-200-2011 as published: boxes around a flat part of images that are white elsewhere.
with tarfile.open("datasets/CUB_200_2011.tgz", "w:gz") as tar:
    images, labels, boxes = [], [], []
    classes = ["001.Black_footed_Albatross", "002.Laysan_Albatross", "003.Sooty_Albatross"]
    for i in range(6):
        name = f"{classes[i // 2]}/{classes[i // 2][4:]}_{i:04}_{100 - i}.jpg"
        image = np.full((40, 60, 3), 255, dtype=np.uint8)
        image[8:24, 16:48] = flat(10 * i, 1)[0, 0]
        images.append(f"{i + 1} {name}")
        labels.append(f"{i + 1} {i // 2 + 1}")
        boxes.append(f"{i + 1} 16.0 8.0 32.0 16.0")
        add(tar, f"CUB_200_2011/images/{name}", encoded(image, "JPEG", quality=95, subsampling=0))
    text = lambda lines: ("\n".join(lines) + "\n").encode()
    add(tar, "CUB_200_2011/images.txt", text(images))
    add(tar, "CUB_200_2011/image_class_labels.txt", text(labels))
    add(tar, "CUB_200_2011/bounding_boxes.txt", text(boxes))
    add(tar, "CUB_200_2011/classes.txt", text(f"{i + 1} {c}" for i, c in enumerate(classes)))
    add(tar, "./attributes.txt", b"1 has_bill_shape::curved\n")

# One thing in every protocol of Python 3.
thing = {
    "none": None, "truth": [True, False], "numbers": (0, -1, 255, 256, 70000, -(2**40), 2**80),
    "float": -1.5, "bytes": b"\x00\xff'", "text": "naïve \\ \n λ", "list": [[], (), {}, [1, [2, [3]]]],
    "array": np.arange(-3, 3, dtype=np.int16).reshape(2, 3), "scalar": np.int64(7),
    "big": np.arange(4, dtype=">u4"), "set": {1}, "complex": 1j,
}
thing["self"] = thing
for protocol in range(6):
    with open(f"pickles/protocol{protocol}.pkl", "wb") as file:
        pickle.dump(thing, file, protocol=protocol)
with open("pickles/python2.pkl", "wb") as file:
    file.write(python2({k: v for k, v in thing.items() if k not in ("self", "text")}))


# Archives that are not to be trusted.
def zipped(name, files, **options):
    with zipfile.ZipFile(f"archives/{name}.zip", "w", **options) as archive:
        for file, data in files:
            archive.writestr(file, data)


png = encoded(flat(1, 1), "PNG")
stamp = lambda name: zipfile.ZipInfo(name, date_time=(2000, 1, 1, 0, 0, 0))
zipped("climbs", [(stamp("../../out.png"), png)])
zipped("absolute", [(stamp("/out.png"), png)])
link = stamp("cat/link.png")
link.external_attr = 0o120777 << 16
zipped("link", [(link, b"/etc/passwd")])
import warnings

warnings.simplefilter("ignore")
zipped("twice", [(stamp("cat/1.png"), png), (stamp("cat/1.png"), png)])
zipped("good", [(stamp("cat/1.png"), png), (stamp("dog/1.png"), png), (stamp("__MACOSX/cat/._1.png"), b"")])
# The size that is announced is less than what comes, and more than could ever come.
raw = bytearray(open("archives/good.zip", "rb").read())
deflated = io.BytesIO()
with zipfile.ZipFile(deflated, "w") as archive:
    archive.writestr(stamp("cat/1.png"), bytes(200_000), compress_type=zipfile.ZIP_DEFLATED)
bomb = bytearray(deflated.getvalue())
at = bomb.find(b"PK\x01\x02") + 24
lie = bytearray(bomb)
lie[at : at + 4] = struct.pack("<I", 1000)
open("archives/lies.zip", "wb").write(lie)
lie[at : at + 4] = struct.pack("<I", 4_000_000_000)
open("archives/claims.zip", "wb").write(lie)
open("archives/cut.zip", "wb").write(raw[: len(raw) // 2])
with tarfile.open("archives/climbs.tar", "w") as tar:
    add(tar, "../out.png", png)
with tarfile.open("archives/link.tar", "w") as tar:
    add(tar, "cat/1.png", b"", type=tarfile.SYMTYPE, linkname="/etc/passwd")
with tarfile.open("archives/twice.tar", "w") as tar:
    add(tar, "cat/1.png", png)
    add(tar, "cat/1.png", png)
with tarfile.open("archives/good.tar", "w") as tar:
    add(tar, "cat/1.png", png)
    add(tar, "dog/" + "long" * 40 + ".png", png)
whole = open("archives/good.tar", "rb").read()
open("archives/cut.tar", "wb").write(whole[:540])
compress = zlib.compressobj(9, zlib.DEFLATED, 31)
zeros = bytes(1 << 20)
with open("archives/bomb.tar.gz", "wb") as file:
    with_name = io.BytesIO()
    with tarfile.open(fileobj=with_name, mode="w") as tar:
        info = tarfile.TarInfo("cat/1.png")
        info.size = 100 << 20
        with_name.write(info.tobuf())
    file.write(compress.compress(with_name.getvalue()[:512]))
    for _ in range(100):
        file.write(compress.compress(zeros))
    file.write(compress.flush())
packed = zlib.compressobj(9, zlib.DEFLATED, 31)
gz = packed.compress(whole) + packed.flush()
open("archives/good.tar.gz", "wb").write(gz)
open("archives/cut.tar.gz", "wb").write(gz[: len(gz) - 20])
