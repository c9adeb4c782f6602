"""Answers questions about low-precision formats with ml_dtypes (float16: NumPy), for `npm run test:oracle`.

Usage: answers.py QUESTION [FORMAT] < operands > answers. Operands and answers are raw little-endian arrays; two operands
stand one behind the other. Codes have one byte up to 8 bits, else two. `versions` and `finfo` answer in JSON.
"""

import json
import sys
import warnings

import ml_dtypes
import numpy as np

warnings.simplefilter("ignore")

FACTS = (
    "bits eps epsneg iexp machep max maxexp min minexp negep nexp nmant smallest_normal smallest_subnormal tiny".split()
)


def answer(question, dtype, operands):
    info = ml_dtypes.finfo(dtype)
    codes = np.dtype(np.uint8 if info.bits <= 8 else np.uint16)
    if question == "finfo":
        return json.dumps({fact: float(getattr(info, fact)) for fact in FACTS}).encode()
    if question == "decode":
        return np.frombuffer(operands, codes).view(dtype).astype(np.float32).tobytes()
    if question in ("encode float32", "encode float64"):
        return np.frombuffer(operands, question.split()[1]).astype(dtype).view(codes).tobytes()
    a, *b = np.split(np.frombuffer(operands, codes).view(dtype), 1 if question in ONE else 2)
    result = getattr(np, question)(a, *b)
    return result.view(codes if result.dtype == a.dtype else np.uint8).tobytes()


ONE = ("isnan", "isinf", "isfinite", "signbit", "spacing")


def main():
    question, *format_name = sys.argv[1:]
    if question == "versions":
        print(json.dumps(f"ml_dtypes {ml_dtypes.__version__}, NumPy {np.__version__}"))
        return
    name = format_name[0]
    dtype = np.dtype(np.float16 if name == "float16" else getattr(ml_dtypes, name))
    sys.stdout.buffer.write(answer(question, dtype, sys.stdin.buffer.read()))


main()
