"""Writes layer_norm.onnx: a float16 layer norm in its steps, as PyTorch's exporter writes one, with the Python lines that it keeps.

    pip install onnx numpy && python layer_norm.py
"""

from pathlib import Path

import numpy as np
from onnx import checker, helper, numpy_helper, save

STEPS = [
    ("ReduceMean", ["x", "last"], "mean", "mean = x.mean(-1, keepdim=True)"),
    ("Sub", ["x", "mean"], "centred", "centred = x - mean"),
    ("Pow", ["centred", "two"], "squares", "squares = centred.pow(2)"),
    ("ReduceMean", ["squares", "last"], "variance", "variance = squares.mean(-1, keepdim=True)"),
    ("Add", ["variance", "eps"], "spread", "spread = variance + self.eps"),
    ("Sqrt", ["spread"], "deviation", "deviation = spread.sqrt()"),
    ("Div", ["centred", "deviation"], "standard", "standard = centred / deviation"),
    ("Mul", ["standard", "gain"], "y", "return standard * self.gain"),
]


def main():
    nodes = []
    for line, (kind, inputs, output, code) in enumerate(STEPS, start=12):
        node = helper.make_node(kind, inputs, [output], name=output)
        trace = node.metadata_props.add()
        trace.key, trace.value = "pkg.torch.onnx.stack_trace", f'File "norm.py", line {line}, in forward\n    {code}'
        nodes.append(node)
    half = {"two": 2, "eps": 1e-5, "gain": np.ones(8)}
    weights = [numpy_helper.from_array(np.asarray(value, np.float16), name) for name, value in half.items()]
    weights.append(numpy_helper.from_array(np.array([-1], np.int64), "last"))
    value = lambda name: helper.make_tensor_value_info(name, 10, ["rows", 8])
    graph = helper.make_graph(nodes, "layer_norm", [value("x")], [value("y")], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], producer_name="tpu-toolkit")
    model.ir_version = 10
    checker.check_model(model)
    save(model, Path(__file__).with_name("layer_norm.onnx"))


main()
