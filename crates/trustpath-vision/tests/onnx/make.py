"""Makes the small models that tests/onnx.rs runs: a mean over each colour with every kind of output.

Run from this folder; needs the packages onnx and numpy:

    python make.py
"""

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper, save

FLOAT = TensorProto.FLOAT


def model(name, inputs, outputs, nodes, constants=()):
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info(n, FLOAT, s) for n, s in inputs],
        [helper.make_tensor_value_info(n, FLOAT, s) for n, s in outputs],
        [numpy_helper.from_array(array, n) for n, array in constants],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    checker.check_model(made)
    save(made, f"{name}.onnx")


# Maps (the image twice over), tokens and rows of the same; rows are their sums over all tokens.
double = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0, 0], [0, 0.5, 0], [0, 0, 0.5]], np.float32)
model(
    "colours",
    [("pixels", ["n", 3, 8, 8])],
    [("maps", ["n", 6, 8, 8]), ("tokens", ["n", 64, 6]), ("rows", ["n", 6])],
    [
        helper.make_node("Conv", ["pixels", "double"], ["maps"]),
        helper.make_node("Reshape", ["maps", "flat"], ["columns"]),
        helper.make_node("Transpose", ["columns"], ["tokens"], perm=[0, 2, 1]),
        helper.make_node("ReduceSum", ["tokens", "second"], ["rows"], keepdims=0),
    ],
    [
        ("double", double.reshape(6, 3, 1, 1)),
        ("flat", np.array([0, 6, 64], np.int64)),
        ("second", np.array([1], np.int64)),
    ],
)

# Three images at a time, no more and no fewer.
model(
    "threes",
    [("pixels", [3, 3, 8, 8])],
    [("rows", [3, 3])],
    [helper.make_node("ReduceMean", ["pixels"], ["rows"], axes=[2, 3], keepdims=0)],
)

# No image model: two inputs.
model(
    "sum",
    [("a", ["n", 3]), ("b", ["n", 3])],
    [("c", ["n", 3])],
    [helper.make_node("Add", ["a", "b"], ["c"])],
)
