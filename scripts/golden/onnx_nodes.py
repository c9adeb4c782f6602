"""Models of one operator with inputs and outputs, from ONNX's own backend tests (onnx.backend.test), as test/golden/onnx/nodes.json.gz.

Kept are the cases of opset 13 and newer whose values are all tensors of numbers and that take at most 64 KiB; random operators are left out.
"""

import base64
import gzip
import json
import os
import sys
import warnings

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases

warnings.filterwarnings("ignore")

RANDOM = {"Bernoulli", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial"}
LIMIT = 64 * 1024


def tensor(value):
    """A tensor as its TensorProto, in base64; None for what is none."""
    if isinstance(value, onnx.TensorProto):
        return base64.b64encode(value.SerializeToString()).decode()
    if isinstance(value, (list, tuple, dict)) or value is None:
        return None
    array = np.asarray(value)
    if array.dtype.kind in "OUSc":
        return None
    return base64.b64encode(numpy_helper.from_array(array).SerializeToString()).decode()


def main(out):
    cases = []
    for case in collect_testcases(None):
        nodes = list(case.model.graph.node)
        if any(node.op_type in RANDOM for node in nodes):
            continue
        if any(entry.domain in ("", "ai.onnx") and entry.version < 13 for entry in case.model.opset_import):
            continue
        model = case.model.SerializeToString()
        for inputs, outputs in case.data_sets:
            values = [[tensor(value) for value in side] for side in (inputs, outputs)]
            if any(value is None for side in values for value in side):
                continue
            if len(model) + sum(len(value) for side in values for value in side) > LIMIT:
                continue
            cases.append(
                {
                    "name": case.name,
                    "operators": sorted({node.op_type for node in nodes}),
                    "rtol": case.rtol,
                    "atol": case.atol,
                    "model": base64.b64encode(model).decode(),
                    "inputs": values[0],
                    "outputs": values[1],
                }
            )
    text = json.dumps({"onnx": onnx.__version__, "cases": cases}, separators=(",", ":"))
    os.makedirs(os.path.dirname(out), exist_ok=True)
    with open(out, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
        packed.write(text.encode())
    print(len(cases), "cases,", os.path.getsize(out), "bytes")


main(sys.argv[1] if len(sys.argv) > 1 else "test/golden/onnx/nodes.json.gz")
