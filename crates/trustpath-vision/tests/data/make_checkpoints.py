"""Writes checkpoints/ and tensors/: small checkpoints and tensors in both formats of PyTorch. Made with PyTorch 2.11:

    python3 make_checkpoints.py
"""
import collections, os
import torch

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "checkpoints"))
count = lambda *shape: torch.arange(torch.Size(shape).numel(), dtype=torch.float32).reshape(shape)
pool = count(10)
state = collections.OrderedDict(
    [
        ("f32", count(2, 3)),
        ("f64", count(2, 2).double() / 3),
        ("f16", count(3).half() / 2),
        ("bf16", count(3).bfloat16() * 100),
        ("turned", count(2, 3).t()),
        ("view", pool[4:8].reshape(2, 2)),
        ("steps", pool[::3]),
        ("scalar", torch.tensor(5.0)),
        ("empty", torch.zeros(0, 4)),
        ("parameter", torch.nn.Parameter(count(2))),
        ("num_batches_tracked", torch.tensor(7)),
    ]
)
other = {"momentum": count(4)}
for new, form in ((True, "zip"), (False, "old")):
    save = lambda obj, name: torch.save(obj, f"{name}-{form}.pth", _use_new_zipfile_serialization=new)
    save(state, "plain")
    save({"epoch": 3, "optimizer": {"state": {0: other}}, "state_dict": state}, "state-dict")
    save({"params": state, "args": None}, "params")
    save({"teacher": state, "student": state}, "two")
    save([1, 2, 3], "list")

os.makedirs("../tensors", exist_ok=True)
os.chdir("../tensors")
x = count(6, 3) * 0.25 - 1
torch.save(x, "tensor.pt")
torch.save(x, "tensor-old.pt", _use_new_zipfile_serialization=False)
torch.save(x.half(), "f16.pt")
torch.save(x.t().contiguous().t(), "turned.pt")
torch.save({"ids": ["a"], "inner": {"features": x, "mean": x.mean(0)}, "y": torch.arange(6)}, "dict.pt")
torch.save(torch.nn.Parameter(x), "requires-grad.pt")
torch.save(x.flatten(), "vector.pt")
torch.save(torch.arange(18).reshape(6, 3), "whole-numbers.pt")
torch.save({"x": x, "z": x + 2}, "two.pt")
