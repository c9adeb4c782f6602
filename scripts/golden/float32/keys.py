"""Writes test/golden/functions/float32_{values,hashes}.json: MPFR's float32 results of the unary functions.

    apt-get install libmpfr-dev gcc
    python3 scripts/golden/float32/keys.py                    # the values: seconds
    python3 scripts/golden/float32/keys.py hashes exp log     # all blocks of 2^24 operands: a minute a function
    python3 scripts/golden/float32/keys.py hashes sin 56:128  # some of them
    python3 scripts/golden/float32/keys.py hashes pow 0:24    # 24 blocks of 2^22 drawn pairs

oracle.c says how a result is found. What is there already of the hashes is kept.
"""

import json
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE.parents[2] / "test" / "golden" / "functions"
NAMES = (
    "exp exp2 expm1 log log2 log10 log1p rsqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh "
    "sigmoid softplus silu gelu geluTanh erf erfc lgamma"
).split()
PAIRS = ("pow", "atan2", "hypot", "logAddExp")


def build(folder):
    flags = ["-O3", "-march=native"]
    for name, more in {"fast": ["-ffast-math"], "oracle": []}.items():
        subprocess.run(["gcc", *flags, *more, "-c", HERE / f"{name}.c", "-o", f"{folder}/{name}.o"], check=True)
    libraries = ["-lmvec", "-lmpfr", "-lgmp", "-lm"]
    subprocess.run(["gcc", f"{folder}/oracle.o", f"{folder}/fast.o", *libraries, "-o", f"{folder}/oracle"], check=True)
    return f"{folder}/oracle"


def operands():
    """Bits: both signs of special values and of eight random fractions in every second binade, more of them around 1."""
    draw = random.Random(15)
    bits = {0, 1, 0x7FFFFF, 0x800000, 0x3F800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000}
    for exponent in range(0, 255):
        count = 8 if 100 <= exponent <= 140 else exponent % 2
        bits |= {exponent << 23 | draw.getrandbits(23) for _ in range(count)}
    return sorted(bits | {b | 0x80000000 for b in bits if b != 0x7FC00000})


def pairs():
    """Bits of a and b: of like size, of any, small whole exponents, quotients that are ties, special values."""
    draw = random.Random(16)
    number = lambda low, high: struct.unpack("<I", struct.pack("<f", draw.choice([-1, 1]) * 2 ** draw.uniform(low, high)))[0]
    rows = [(number(-20, 20), number(-20, 4)) for _ in range(300)]
    rows += [(number(-1, 1), number(-2, 6)) for _ in range(200)]
    rows += [(number(-126, 127), number(-126, 127)) for _ in range(100)]
    f = lambda x: struct.unpack("<I", struct.pack("<f", x))[0]
    rows += [(f(draw.randrange(1, 4096)), f(draw.choice([-2, -1, 0.5, 2, 3, 4, 0.25, 1.5]))) for _ in range(200)]
    rows += [(f((2 * draw.getrandbits(23) + 1) * 2.0**-149), f(2.0 ** draw.randrange(1, 6))) for _ in range(100)]
    special = [f(x) for x in (0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -3.0, float("inf"), -float("inf"), float("nan"))]
    rows += [(a, b) for a in special for b in special]
    # For hypot: legs of whole triangles, whose third side has up to 25 bits and so may be a tie; subnormal ones; the largest.
    for _ in range(150):
        m, n = sorted(draw.sample(range(1, 4096), 2), reverse=True)
        scale = 2.0 ** draw.choice([-140, -120, 0, 60])
        rows.append((f((m * m - n * n) * scale), f(2 * m * n * scale)))
    rows += [(draw.getrandbits(20), draw.getrandbits(20)) for _ in range(60)]
    rows += [(0x7F7FFFFF - draw.getrandbits(16), number(114, 118)) for _ in range(60)]
    # For logAddExp: results about 0, where exp(a) is near 1 - exp(b); tails near half an ulp of the larger; subnormal tails.
    for _ in range(200):
        a = -math.exp(draw.uniform(-16, 2))
        rows.append((f(a), f(math.log(-math.expm1(a)))))
        b = 2.0 ** draw.randrange(-20, 6) * draw.uniform(1, 2)
        rows.append((f(b), f(b + math.log(2.0 ** (math.frexp(b)[1] - 25)) + draw.uniform(-1e-6, 1e-6))))
    rows += [(f(draw.choice([0.0, 1e-45, -1e-40, 2e-39])), f(draw.uniform(-105, -85))) for _ in range(100)]
    return rows + [(f(a), f(b)) for a, b in ties()]


def ties():
    """Pairs whose power is a midpoint: odd r with r^n of 25 bits, as r^n and as (r^2)^(n/2) or (r^4)^(n/4); r^n 2^-150."""
    for n in range(2, 16):
        for r in range(3, 5793, 2):
            if 1 << 24 < r**n < 1 << 25:
                yield r * 2.0 ** (r % 8), n
                for root in (2, 4):
                    if n % 2 and r**root < 1 << 24:
                        yield r**root, n / root
    for n in (2, 3, 5, 6, 10, 15):
        for r in range(1, 4096, 2):
            if r**n < 1 << 24 and (n > 2 or r % 16 == 1):
                yield r * 2.0 ** (-150 // n), n


def write(name, value):
    (GOLDEN / name).write_text(json.dumps(value, indent=0) + "\n")


def values(oracle):
    given = operands()
    packed = struct.pack(f"<{len(given)}I", *given)
    results = {}
    for name in NAMES:
        out = subprocess.run([oracle, name, "given"], input=packed, stdout=subprocess.PIPE, check=True).stdout
        words = struct.unpack(f"<{len(given)}I", out)
        results[name] = "".join("7fc00000" if w & 0x7FFFFFFF > 0x7F800000 else f"{w:08x}" for w in words)
    two = [word for pair in pairs() for word in pair]
    packed = struct.pack(f"<{len(two)}I", *two)
    for name in PAIRS:
        out = subprocess.run([oracle, name, "pairs"], input=packed, stdout=subprocess.PIPE, check=True).stdout
        words = struct.unpack(f"<{len(two) // 2}I", out)
        results[name] = "".join("7fc00000" if w & 0x7FFFFFFF > 0x7F800000 else f"{w:08x}" for w in words)
    about = "float32 bits: operands, and by function the results rounded once from the real value; MPFR 4.2.0"
    texts = {"operands": "".join(f"{b:08x}" for b in given), "pairs": "".join(f"{b:08x}" for b in two)}
    write("float32_values.json", {"about": about, **texts, "results": results})


def hashes(oracle, arguments):
    path = GOLDEN / "float32_hashes.json"
    about = "by function and block of 2^24 operands in the order of their bits, h = (h ^ word) 16777619 from 2166136261"
    known = json.loads(path.read_text()) if path.exists() else {"about": about, "hashes": {}}
    first, last = 0, 256
    if ":" in arguments[-1]:
        first, last = map(int, arguments.pop().split(":"))
    for name in arguments:
        rows = known["hashes"].setdefault(name, {})
        for block in range(first, last):
            if str(block) in rows:
                continue
            mode = "drawn" if name in PAIRS else "hashes"
            command = [oracle, name, mode, str(block), str(block + 1)]
            out = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode().split()
            rows[str(block)] = out[0]
            # Odd and even functions have the block with the other sign as well.
            if len(out) > 1:
                rows[str(block ^ 128)] = out[1]
            known["hashes"][name] = rows = dict(sorted(rows.items(), key=lambda row: int(row[0])))
            write("float32_hashes.json", known)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        oracle = build(folder)
        if sys.argv[1:2] == ["hashes"]:
            hashes(oracle, sys.argv[2:])
        else:
            values(oracle)
