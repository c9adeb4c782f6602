"""The operations of `npm run bench:speed` on NumPy + ml_dtypes, one thread.

Usage: peers.py OP. Prints the times of the runs of one operation, in ns per element, as a JSON list; for OP `versions`
prints what runs here.
"""

import json
import sys
import time

import ml_dtypes
import numpy as np

N = 2**20
SIDE = 512
bfloat16 = ml_dtypes.bfloat16


def values(seed):
    return np.random.default_rng(seed).standard_normal(N).astype(np.float32)


def operation(op):
    """The function to time and what its time is divided by."""
    x = values(1)
    a, b = x.astype(bfloat16), values(2).astype(bfloat16)
    wide = x.astype(np.float64)
    out = np.empty(N, bfloat16)
    square = SIDE * SIDE
    p, q = a[:square].reshape(SIDE, SIDE), b[:square].reshape(SIDE, SIDE)
    p32, q32 = p.astype(np.float32), q.astype(np.float32)
    product, product32 = np.empty_like(p), np.empty_like(p32)
    table = {
        "encode f32 bfloat16": (lambda: x.astype(bfloat16), N),
        "encode f64 bfloat16": (lambda: wide.astype(bfloat16), N),
        "decode bfloat16": (lambda: a.astype(np.float32), N),
        "add bfloat16": (lambda: np.add(a, b, out=out), N),
        "mul bfloat16": (lambda: np.multiply(a, b, out=out), N),
        "exp bfloat16": (lambda: np.exp(a, out=out), N),
        "cumsum bfloat16": (lambda: np.cumsum(a, out=out), N),
        "sum bfloat16": (lambda: np.sum(a), N),
        f"matmul bfloat16 {SIDE}": (lambda: np.matmul(p, q, out=product), SIDE**3),
        f"matmul float32 {SIDE}": (lambda: np.matmul(p32, q32, out=product32), SIDE**3),
    }
    return table[op]


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
