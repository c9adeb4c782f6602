"""The operations of `npm run bench:speed` on NumPy + ml_dtypes, one thread.

Usage: speed.py OP [N]. N elements instead of 2^20. Prints the times of the runs of one operation, in ns per element, as a JSON list; for OP `versions`
prints what runs here.
"""

import json
import math
import sys
import time

import ml_dtypes
import numpy as np

N = min(2**20, int(sys.argv[2])) if len(sys.argv) > 2 else 2**20
SIDE = 512
# Overflow and NaN are results like any other.
np.seterr(all="ignore")


def values(seed, count=N):
    return np.random.default_rng(seed).standard_normal(count).astype(np.float32)


def dtype(name):
    if name == "float32":
        return np.dtype(np.float32)
    return np.dtype(np.float16 if name == "float16" else getattr(ml_dtypes, name))


def matmul(name):
    p, q = (values(seed, SIDE * SIDE).reshape(SIDE, SIDE).astype(name) for seed in (1, 2))
    product = np.empty_like(p)
    return (lambda: np.matmul(p, q, out=product)), SIDE**3


def operation(op):
    """The function to time and what its time is divided by."""
    if op == "sum float32 sequential":
        lane = values(1)[: 2**16]
        return (lambda: np.cumsum(lane)), lane.size
    what, *source, name = op.removesuffix(f" {SIDE}").split(" ")
    if what == "matmul":
        return matmul(np.float32 if name == "float32" else dtype(name))
    x = values(1)
    kind = dtype(name)
    a, b = x.astype(kind), values(2).astype(kind)
    wide = x.astype(np.float64) * (1 + 2.0**-40)
    out = np.empty(N, kind)
    table = {
        "encode": lambda: (wide if source == ["f64"] else x).astype(kind),
        "decode": lambda: a.astype(np.float32),
        "add": (lambda: np.add(a, b)) if source == ["new"] else lambda: np.add(a, b, out=out),
        "mul": lambda: np.multiply(a, b, out=out),
        "exp": lambda: np.exp(a, out=out),
        "cumsum": lambda: np.cumsum(a, out=out),
        "sum": lambda: np.sum(a),
    }
    if name == "float32":
        # NumPy has no erf: the C library's, element by element.
        each = np.frompyfunc(math.erf, 1, 1)
        condition, positive = a < b, np.abs(a)
        table |= {
            "where": lambda: np.where(condition, a, b),
            "log": lambda: np.log(positive, out=out),
            "tanh": lambda: np.tanh(a, out=out),
            "sigmoid": lambda: 1 / (1 + np.exp(-a)),
            "erf": lambda: each(a),
            "gelu": lambda: a * (1 + each(a * np.float32(0.5**0.5))) / 2,
        }
    return table[what], N


def times_of(run, n):
    """Times of at least 12 runs after warming up, for about as long as measure.ts takes."""
    begin = time.perf_counter()
    while time.perf_counter() - begin < 0.15:
        run()
    times = []
    start = time.perf_counter()
    while len(times) < 12 or (len(times) < 200 and time.perf_counter() - start < 0.6):
        before = time.perf_counter()
        run()
        times.append((time.perf_counter() - before) * 1e9 / n)
    return times


if __name__ == "__main__":
    if sys.argv[1] == "versions":
        python = sys.version.split()[0]
        print(json.dumps(f"Python {python}, NumPy {np.__version__}, ml_dtypes {ml_dtypes.__version__}"))
    else:
        print(json.dumps(times_of(*operation(sys.argv[1]))))
