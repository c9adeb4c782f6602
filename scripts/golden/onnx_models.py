"""Whole ONNX models with random weights, and what ONNX Runtime computes of them on a CPU, as test/golden/onnx/models.json.gz.

ONNX Runtime computes float16 in float32 between casts, which hides overflows: the float16 model is computed by ONNX's reference.
"""

import base64
import gzip
import json
import os
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

draw = np.random.default_rng(20261123)


def weight(name, *shape, scale=None, dtype=np.float32):
    values = draw.standard_normal(shape) * (scale or 1 / np.sqrt(max(shape[0], 1)))
    return numpy_helper.from_array(values.astype(dtype), name)


def constant(name, values, dtype):
    return numpy_helper.from_array(np.asarray(values, dtype), name)


def model(name, nodes, inputs, outputs, initializers, opset=18, domains=(), file="model.py"):
    for number, node in enumerate(nodes):
        node.name = node.name or f"node_{number}"
        trace = node.metadata_props.add()
        trace.key = "pkg.torch.onnx.stack_trace"
        trace.value = f'File "{file}", line {10 + number}, in forward\n    step {number}'
    graph = helper.make_graph(
        nodes,
        name,
        [helper.make_tensor_value_info(*value) for value in inputs],
        [helper.make_tensor_value_info(*value) for value in outputs],
        initializers,
    )
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid(domain, 1) for domain in domains]
    made = helper.make_model(graph, opset_imports=imports, producer_name="tpu-toolkit")
    made.ir_version = 10
    onnx.checker.check_model(made)
    return made


def node(kind, inputs, outputs, **attributes):
    return helper.make_node(kind, inputs, [outputs] if isinstance(outputs, str) else outputs, **attributes)


def mlp():
    nodes = [
        node("Gemm", ["x", "w1", "b1"], "h1", transB=1),
        node("Relu", ["h1"], "a1"),
        node("Gemm", ["a1", "w2", "b2"], "y", transB=1),
    ]
    weights = [weight("w1", 32, 16), weight("b1", 32), weight("w2", 4, 32), weight("b2", 4)]
    return model("mlp", nodes, [("x", 1, ["batch", 16])], [("y", 1, ["batch", 4])], weights), {
        "x": draw.standard_normal((8, 16)).astype(np.float32)
    }


def cnn():
    nodes = [
        node("Conv", ["x", "w1", "b1"], "c1", pads=[1, 1, 1, 1]),
        node("BatchNormalization", ["c1", "gain", "shift", "mean", "variance"], "n1"),
        node("Relu", ["n1"], "r1"),
        node("MaxPool", ["r1"], "p1", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", ["p1", "w2"], "c2", group=4, strides=[2, 2], pads=[1, 1, 1, 1]),
        node("HardSwish", ["c2"], "h2"),
        node("GlobalAveragePool", ["h2"], "g"),
        node("Flatten", ["g"], "f"),
        node("Gemm", ["f", "w3", "b3"], "y"),
    ]
    weights = [
        weight("w1", 8, 3, 3, 3, scale=0.2),
        weight("b1", 8),
        constant("gain", draw.uniform(0.5, 1.5, 8), np.float32),
        weight("shift", 8),
        weight("mean", 8),
        constant("variance", draw.uniform(0.5, 1.5, 8), np.float32),
        weight("w2", 8, 2, 3, 3, scale=0.2),
        weight("w3", 8, 5),
        weight("b3", 5),
    ]
    return model("cnn", nodes, [("x", 1, [2, 3, 12, 12])], [("y", 1, [2, 5])], weights), {
        "x": draw.standard_normal((2, 3, 12, 12)).astype(np.float32)
    }


def transformer():
    """A block as older exporters write it: shapes computed by nodes, layer norm and gelu in their steps."""
    ints = lambda name, values: constant(name, values, np.int64)
    nodes = [
        node("ReduceMean", ["x", "last"], "mean", keepdims=1),
        node("Sub", ["x", "mean"], "centred"),
        node("Pow", ["centred", "two"], "squares"),
        node("ReduceMean", ["squares", "last"], "variance", keepdims=1),
        node("Add", ["variance", "eps"], "spread"),
        node("Sqrt", ["spread"], "deviation"),
        node("Div", ["centred", "deviation"], "standard"),
        node("Mul", ["standard", "gain"], "scaled"),
        node("Add", ["scaled", "shift"], "normed"),
        node("MatMul", ["normed", "wqkv"], "qkv"),
        node("Split", ["qkv"], ["q", "k", "v"], axis=-1, num_outputs=3),
        node("Shape", ["x"], "shape"),
        node("Gather", ["shape", "zero"], "batch", axis=0),
        node("Gather", ["shape", "one"], "length", axis=0),
        node("Unsqueeze", ["batch", "first"], "batch1"),
        node("Unsqueeze", ["length", "first"], "length1"),
        node("Concat", ["batch1", "length1", "heads"], "split", axis=0),
    ]
    for name in "qkv":
        nodes += [
            node("Reshape", [name, "split"], f"{name}s"),
            node("Transpose", [f"{name}s"], f"{name}h", perm=[0, 2, 3, 1] if name == "k" else [0, 2, 1, 3]),
        ]
    nodes += [
        node("MatMul", ["qh", "kh"], "scores"),
        node("Mul", ["scores", "scale"], "scaled_scores"),
        node("Trilu", ["ones"], "lower", upper=0),
        node("Where", ["lower", "scaled_scores", "minus"], "masked"),
        node("Softmax", ["masked"], "shares", axis=-1),
        node("MatMul", ["shares", "vh"], "mixed"),
        node("Transpose", ["mixed"], "turned", perm=[0, 2, 1, 3]),
        node("Reshape", ["turned", "shape"], "joined"),
        node("MatMul", ["joined", "wo"], "out"),
        node("Add", ["out", "x"], "residual"),
        node("LayerNormalization", ["residual", "gain", "shift"], "normed2", axis=-1, epsilon=1e-5),
        node("MatMul", ["normed2", "w1"], "wide"),
        node("Div", ["wide", "root2"], "ratio"),
        node("Erf", ["ratio"], "erf"),
        node("Add", ["erf", "one_f"], "plus"),
        node("Mul", ["wide", "plus"], "doubled"),
        node("Mul", ["doubled", "half"], "gelu"),
        node("MatMul", ["gelu", "w2"], "narrow"),
        node("Add", ["narrow", "residual"], "y"),
    ]
    f32 = lambda name, value: constant(name, value, np.float32)
    weights = [
        ints("last", [-1]),
        f32("two", 2),
        f32("eps", 1e-5),
        f32("gain", draw.uniform(0.5, 1.5, 16)),
        weight("shift", 16),
        weight("wqkv", 16, 48),
        ints("zero", 0),
        ints("one", 1),
        ints("first", [0]),
        ints("heads", [2, 8]),
        f32("scale", 1 / np.sqrt(8)),
        constant("ones", np.ones((6, 6)), np.bool_),
        f32("minus", -1e30),
        weight("wo", 16, 16),
        weight("w1", 16, 64),
        f32("root2", np.sqrt(2)),
        f32("one_f", 1),
        f32("half", 0.5),
        weight("w2", 64, 16),
    ]
    return model("transformer", nodes, [("x", 1, ["batch", 6, 16])], [("y", 1, ["batch", 6, 16])], weights), {
        "x": draw.standard_normal((2, 6, 16)).astype(np.float32)
    }


def quantized():
    """Weights and activations through QuantizeLinear and DequantizeLinear, as PyTorch's quantizer writes them."""
    nodes = [
        node("QuantizeLinear", ["x", "sx", "zx"], "xq"),
        node("DequantizeLinear", ["xq", "sx", "zx"], "xd"),
        node("DequantizeLinear", ["wq", "sw"], "wd", axis=0),
        node("Conv", ["xd", "wd", "b"], "c", pads=[1, 1, 1, 1]),
        node("Relu", ["c"], "r"),
        node("QuantizeLinear", ["r", "sr", "zr"], "rq"),
        node("DequantizeLinear", ["rq", "sr", "zr"], "y"),
    ]
    weights = [
        constant("sx", 0.05, np.float32),
        constant("zx", 128, np.uint8),
        constant("wq", draw.integers(-127, 128, (4, 3, 3, 3)), np.int8),
        constant("sw", draw.uniform(0.001, 0.01, 4), np.float32),
        weight("b", 4),
        constant("sr", 0.04, np.float32),
        constant("zr", 0, np.uint8),
    ]
    return model("quantized", nodes, [("x", 1, [1, 3, 8, 8])], [("y", 1, [1, 4, 8, 8])], weights), {
        "x": draw.standard_normal((1, 3, 8, 8)).astype(np.float32)
    }


def four_bits():
    nodes = [
        helper.make_node(
            "MatMulNBits", ["x", "wq", "scales", "zeros"], ["y"], domain="com.microsoft", K=64, N=12, bits=4, block_size=32
        )
    ]
    weights = [
        constant("wq", draw.integers(0, 256, (12, 2, 16)), np.uint8),
        constant("scales", draw.uniform(0.01, 0.1, 24), np.float32),
        constant("zeros", draw.integers(0, 256, 12), np.uint8),
    ]
    made = model("four_bits", nodes, [("x", 1, [5, 64])], [("y", 1, [5, 12])], weights, 21, ["com.microsoft"])
    return made, {"x": draw.standard_normal((5, 64)).astype(np.float32)}


def layer_norm_float16():
    """A float16 layer norm in its steps, of rows whose squares overflow: onnxruntime issue 31626 is such a case."""
    nodes = [
        node("ReduceMean", ["x", "last"], "mean", keepdims=1),
        node("Sub", ["x", "mean"], "centred"),
        node("Pow", ["centred", "two"], "squares"),
        node("ReduceMean", ["squares", "last"], "variance", keepdims=1),
        node("Add", ["variance", "eps"], "spread"),
        node("Sqrt", ["spread"], "deviation"),
        node("Div", ["centred", "deviation"], "standard"),
        node("Mul", ["standard", "gain"], "y"),
    ]
    f16 = lambda name, value: constant(name, value, np.float16)
    weights = [constant("last", [-1], np.int64), f16("two", 2), f16("eps", 1e-5), f16("gain", draw.uniform(0.5, 1.5, 16))]
    x = (draw.standard_normal((4, 16)) * np.array([[1], [30], [200], [400]])).astype(np.float16)
    made = model("layer_norm_float16", nodes, [("x", 10, [4, 16])], [("y", 10, [4, 16])], weights, file="norm.py")
    return made, {"x": x}


def pack(values):
    return base64.b64encode(numpy_helper.from_array(values).SerializeToString()).decode()


def main(out):
    models = {}
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    for make in (mlp, cnn, transformer, quantized, four_bits, layer_norm_float16):
        made, inputs = make()
        text = made.SerializeToString()
        session = onnxruntime.InferenceSession(text, options, providers=["CPUExecutionProvider"])
        half = any(values.dtype == np.float16 for values in inputs.values())
        results = (ReferenceEvaluator(made) if half else session).run(None, inputs)
        models[make.__name__] = {
            "model": base64.b64encode(text).decode(),
            "inputs": {name: pack(values) for name, values in inputs.items()},
            "outputs": {value.name: pack(one) for value, one in zip(session.get_outputs(), results)},
        }
    data = json.dumps({"onnxruntime": onnxruntime.__version__, "models": models}, separators=(",", ":"))
    with open(out, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
        packed.write(data.encode())
    print(len(models), "models,", os.path.getsize(out), "bytes")


main(sys.argv[1] if len(sys.argv) > 1 else "test/golden/onnx/models.json.gz")
