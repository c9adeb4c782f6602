"""Answer keys of hypot, by integers: the square root of an exact sum of squares, rounded once.

Writes test/golden/functions/hypot_pairs.json: for each format of up to 8 bits the sha256 of the codes of hypot(a, b) for all pairs
of codes, one byte each, a outer. ml_dtypes tells the values of codes and the codes of values.
Writes hypot_narrow.{json,bin}: codes of bfloat16 and float16, drawn, near each other, subnormal, and legs of whole triangles.
Writes hypot_float64.{json,bin}: operands in every range and whole triangles, and hypot rounded once to float64.

    pip install numpy==2.4.6 ml_dtypes==0.6.0
    python scripts/golden/hypot.py            # some seconds
"""

import hashlib
import json
import math
import random
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np

FOLDER = Path(__file__).parents[2] / "test/golden/functions"
NARROW = [
    "float8_e3m4", "float8_e4m3", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e4m3b11fnuz", "float8_e5m2",
    "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn",
]  # fmt: skip


def root(a, b, bits):
    """hypot of finite floats as integer m of `bits` bits and exponent e; the last bit of m is 1 where the root is not m 2^e."""
    square = Fraction(a) ** 2 + Fraction(b) ** 2
    top = square.numerator.bit_length() - square.denominator.bit_length()
    e = (top >> 1) - bits + 1
    scaled = square / Fraction(4) ** e
    whole = scaled.numerator // scaled.denominator
    m = math.isqrt(whole)
    return (m if m * m == scaled else m | 1), e


def hypot(a, b, bits=52):
    """By default rounded to odd in 52 or 53 bits, so that rounding it again to a narrow format is rounding once."""
    if math.isinf(a) or math.isinf(b):
        return math.inf
    if math.isnan(a) or math.isnan(b):
        return math.nan
    if a == 0 and b == 0:
        return 0.0
    m, e = root(a, b, bits)
    if bits < 54:
        return math.ldexp(m, e)
    try:
        return float(m * Fraction(2) ** e)
    except OverflowError:
        return math.inf


def codes_of(values, dtype, bits):
    with np.errstate(over="ignore"):
        codes = values.astype(dtype).view(np.uint16 if bits == 16 else np.uint8)
    unknown = np.isnan(values)
    codes[unknown] = np.array([np.nan]).astype(dtype).view(codes.dtype)[0]
    return codes


def all_pairs(name):
    dtype = np.dtype(getattr(ml_dtypes, name))
    bits = int(name[5])
    values = [float(v) for v in np.arange(2**bits, dtype=np.uint8).view(dtype).astype(np.float64)]
    known = {}
    results = []
    for a in values:
        for b in values:
            key = tuple(sorted((abs(a), abs(b)), key=lambda v: (math.isnan(v), v)))
            pair = repr(key)
            if pair not in known:
                known[pair] = hypot(*key)
            results.append(known[pair])
    codes = codes_of(np.array(results), dtype, bits)
    # ml_dtypes takes 2^-126 for what lies between 2^-127 and 1.5 * 2^-127 (docs/formats.md).
    return np.where(np.array(results) < 1.5 * 2.0**-127, 0, codes).astype(np.uint8) if name == "float8_e8m0fnu" else codes


def drawn(name):
    dtype = np.dtype(np.float16 if name == "float16" else getattr(ml_dtypes, name))
    draw = random.Random(15)
    pairs = [(draw.randrange(65536), draw.randrange(65536)) for _ in range(5000)]
    for _ in range(5000):  # near each other, so that the root is far from both
        a = draw.randrange(65536)
        pairs.append((a, (a + draw.randrange(-2000, 2000)) % 65536))
    for _ in range(2500):  # subnormal, or near it
        pairs.append((draw.randrange(1, 2048), draw.randrange(1, 2048)))
    code = lambda v: int(np.array([v], np.float64).astype(dtype).view(np.uint16)[0])
    for _ in range(2500):  # legs of whole triangles: roots of few bits, ties among them
        m, n = draw.randrange(2, 40), draw.randrange(1, 40)
        scale = 2.0 ** draw.randrange(-10, 4)
        pairs.append((code(abs(m * m - n * n) * scale), code(2 * m * n * scale)))
    a, b = (np.array([pair[side] for pair in pairs], np.uint16) for side in (0, 1))
    with np.errstate(invalid="ignore"):
        values = [column.view(dtype).astype(np.float64) for column in (a, b)]
    results = np.array([hypot(float(x), float(y)) for x, y in zip(*values)])
    return a, b, codes_of(results, dtype, 16)


def write(name, columns, what):
    data, layout = b"", []
    for key, column in columns.items():
        words = column.astype(column.dtype.newbyteorder("<")).tobytes()
        layout.append({"name": key, "type": f"u{8 * column.dtype.itemsize}", "offset": len(data), "length": len(column)})
        data += words
    facts = {"file": f"{name}.bin", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "columns": layout}
    (FOLDER / f"{name}.bin").write_bytes(data)
    (FOLDER / f"{name}.json").write_text(json.dumps(facts | {"what": what}, indent=1) + "\n")


def float64_pairs():
    draw = random.Random(16)
    for _ in range(2000):
        x = math.ldexp(draw.uniform(1, 2), draw.randrange(-1074, 1024))
        yield x, math.ldexp(x, -draw.randrange(0, 60)) * draw.uniform(1, 2)
    for _ in range(1000):
        yield draw.uniform(-1, 1), draw.uniform(-1, 1)
    for _ in range(300):  # the largest numbers, and overflow
        yield math.ldexp(draw.uniform(1, 2), 1023), math.ldexp(draw.uniform(1, 2), draw.randrange(990, 1024))
    for _ in range(300):  # subnormal results
        yield draw.randrange(1, 2**52) * 5e-324, draw.randrange(1, 2**52) * 5e-324
    for _ in range(400):
        m, n, scale = draw.randrange(2, 3000), draw.randrange(1, 3000), 2.0 ** draw.randrange(-600, 600)
        yield (m * m - n * n) * scale, 2 * m * n * scale
    inf, nan = math.inf, math.nan
    yield from [(0.0, 0.0), (-0.0, 0.0), (-3.0, 0.0), (inf, nan), (nan, -inf), (nan, 1.0), (0.0, nan), (inf, inf), (5e-324, 5e-324)]


def main():
    hashes = {name: hashlib.sha256(all_pairs(name).tobytes()).hexdigest() for name in NARROW}
    facts = {
        "what": "sha256 of hypot(a, b) for all pairs of codes, one byte each, a outer",
        "sha256": hashes,
    }
    (FOLDER / "hypot_pairs.json").write_text(json.dumps(facts, indent=1) + "\n")
    columns = {}
    for name in ("bfloat16", "float16"):
        columns |= dict(zip((f"{name} a", f"{name} b", name), drawn(name)))
    write("hypot_narrow", columns, "codes: operands, and hypot(a, b) rounded once")
    pairs = list(float64_pairs())
    result = [hypot(a, b, 60) for a, b in pairs]
    as_bits = lambda values: np.array(values, np.float64).view(np.uint64)
    columns = {"a": as_bits([a for a, _ in pairs]), "b": as_bits([b for _, b in pairs]), "hypot": as_bits(result)}
    write("hypot_float64", columns, "float64 bits: operands, and hypot(a, b) rounded once")


if __name__ == "__main__":
    main()
