"""Images per second of PyTorch, onnxruntime and trustpath, side by side in one run.

    pip install torch torchvision onnx onnxruntime
    cargo build --release -p trustpath-vision --example throughput
    python crates/trustpath-vision/benches/against_python.py [--backbone resnet12] [--threads 2]

All compute the same network, on random images and weights, with the same number of threads. They take
turns, so that whatever else the machine does falls on all alike, and the best of all turns counts.
"""

import argparse
import copy
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "golden"))

import torch  # noqa: E402
import onnxruntime  # noqa: E402
import make  # noqa: E402

NETWORKS = {
    "resnet12": (make.ResNet12, 84),
    "wrn28-10": (make.Wide, 80),
    "densenet121": (lambda: make.Dense(True), 84),
    "densenet121-imagenet": (lambda: make.Dense(False), 224),
    "efficientnet-lite0": (lambda: make.Lite(*make.LITE["efficientnet-lite0"][:2]), 224),
}


def seconds(run):
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--backbone", choices=NETWORKS, default="resnet12")
    options.add_argument("--threads", type=int, default=os.cpu_count())
    options.add_argument("--images", type=int, default=32, help="of a batch")
    options.add_argument("--turns", type=int, default=5)
    options.add_argument("--profile", default="release", help="folder of target that the example was built in")
    options = options.parse_args()

    torch.set_num_threads(options.threads)
    network, size = NETWORKS[options.backbone]
    network = network().eval()
    images = torch.randn(options.images, 3, size, size)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "network.onnx")
        torch.onnx.export(network, (images[:1],), path, dynamo=False, input_names=["x"], dynamic_axes={"x": {0: "n"}})
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = options.threads
        session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])
    array = images.numpy()

    def with_torch(network, images):
        with torch.inference_mode():
            network(images)

    last = [copy.deepcopy(x).to(memory_format=torch.channels_last) for x in (network, images)]
    program = HERE.parents[2] / "target" / options.profile / "examples" / "throughput"

    def with_trustpath():
        command = [program, options.backbone, str(options.images), "2"]
        environment = dict(os.environ, RAYON_NUM_THREADS=str(options.threads))
        said = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
        return options.images / float(re.search(r"([\d.]+) images/s", said).group(1))

    ways = {
        "PyTorch": lambda: seconds(lambda: with_torch(network, images)),
        "PyTorch, channels last": lambda: seconds(lambda: with_torch(*last)),
        "onnxruntime": lambda: seconds(lambda: session.run(None, {"x": array})),
        "trustpath": with_trustpath,
    }
    best = {name: float("inf") for name in ways}
    for _ in range(options.turns):
        for name, run in ways.items():
            best[name] = min(best[name], run(), run())
    print(f"{options.backbone}, {size}×{size}, {options.images} images, {options.threads} threads")
    print(f"PyTorch {torch.__version__}, onnxruntime {onnxruntime.__version__}\n")
    print(f"{'engine':24} {'images/s':>10} {'of PyTorch':>10}")
    for name, time_ in best.items():
        print(f"{name:24} {options.images / time_:10.1f} {best['PyTorch'] / time_:9.2f}×")


if __name__ == "__main__":
    main()
