"""Answer keys of atan2 and pow in bfloat16 and float16, and of float64 functions where they are hard, by MPFR.

Writes test/golden/functions/binary_{bfloat16,float16}.{json,bin}: operand codes a and b, and the codes of atan2(a, b) and
a**b rounded once (enclosed at rising precision until both ends round alike). Pairs: random codes; tiny quotients and
subnormal results; whole and half exponents, whose powers are ties.
Writes unary_float64_hard.{json,bin}: for each function its own operands (where exp or the result is subnormal, deep
tails, the floats about lgamma's zeros and poles), and the values rounded once to float64.

    pip install gmpy2==2.3.2
    python scripts/golden/binary.py           # about ten seconds
"""

import hashlib
import json
import math
import random
import struct

import gmpy2
import unary
from gmpy2 import mpfr

HARD = {
    "silu": [(-746, -690, 120), (-40, 0, 40)],
    "gelu": [(-38.6, -20, 120), (-20, 9, 120)],
    "geluTanh": [(-21.5, -20, 120), (-20, 6, 120)],
    "erf": [(-6, 6, 120), (-0.3, 0.3, 80)],
    "erfc": [(26, 27.3, 120), (-6, 26, 160), (-0.3, 0.3, 40)],
    "lgamma": [(-40, 0, 200), (0, 12, 200)],
}  # fmt: skip


def write(name, columns, kind, what):
    data, layout = b"", []
    for key, column in columns.items():
        layout.append({"name": key, "type": "u64" if kind == "d" else "u16", "offset": len(data), "length": len(column)})
        data += struct.pack(f"<{len(column)}{kind}", *column)
    facts = {"file": f"{name}.bin", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), "columns": layout}
    (unary.FOLDER / f"{name}.bin").write_bytes(data)
    (unary.FOLDER / f"{name}.json").write_text(json.dumps(facts | {"what": what}, indent=1) + "\n")


def value(x):
    if isinstance(x, str):
        return mpfr(x)
    return gmpy2.mul_2exp(mpfr(x[0]), x[1]) if x[1] >= 0 else gmpy2.div_2exp(mpfr(x[0]), -x[1])


def power(a, b):
    return mpfr(1) if a == 1 else a**b


def rounded(function, a, b, form):
    context = gmpy2.get_context()
    precision = 100
    while True:
        context.precision = precision
        x, y = value(a), value(b)
        context.clear_flags()
        result = function(x, y)
        if not context.inexact or gmpy2.is_nan(result) or gmpy2.is_infinite(result) or result == 0:
            return form.encode(result)
        delta = gmpy2.div_2exp(abs(result), precision - 2)
        low, high = form.encode(result - delta), form.encode(result + delta)
        if low == high:
            return low
        precision *= 2


def pairs(form, draw):
    subnormal = lambda: draw.randrange(1, 1 << form.mantissa_bits)
    one = form.bias << form.mantissa_bits
    near_one = lambda: one + draw.randrange(-(6 << form.mantissa_bits), 8 << form.mantissa_bits)
    whole = [code for code in range(1 << 15) if not isinstance(form.decode(code), str) and value(form.decode(code)) * 4 % 1 == 0]
    small = [code for code in whole if 0 < value(form.decode(code)) <= 40]
    sign = lambda: draw.choice((0, 0x8000))
    for _ in range(2500):
        yield draw.randrange(65536), draw.randrange(65536)
    for _ in range(2500):  # quotients that are subnormal
        yield sign() | subnormal(), sign() | near_one()
    for _ in range(1500):  # tiny quotients that are normal
        yield sign() | draw.randrange(one // 2), near_one()
    for _ in range(2500):  # exact powers and others with few bits in the exponent
        yield draw.choice(small), sign() | draw.choice(small)
    for _ in range(1500):  # powers that are subnormal
        yield near_one(), 0x8000 | draw.choice(whole)
    for a in range(0x7F80, 0x8080) if form.mantissa_bits == 7 else ():
        yield a, 0x4000


def hard(name, draw):
    operands = [draw.uniform(low, high) for low, high, count in HARD[name] for _ in range(count)]
    if name == "lgamma":
        zeros = [1, 2, -2.457024738220801, -2.747682646727413, -3.14358088834998, -3.955294284858598, -4.039361839740537]
        for centre in [*zeros, *range(-25, 0), 0.5, -0.5, -20.5, 2.5, 10]:
            x = centre
            for step in (1, 1, 3, 1000):
                x = centre + step * math.ulp(centre)
                operands += [x, centre - step * math.ulp(centre)]
        operands += [10 ** draw.uniform(-300, 300) for _ in range(100)]
        operands += [z for z in zeros if z != int(z)] + [0.5, -0.5, -1.5, 1e300, -1e10 - 0.5]
    return operands + [sign * 10.0 ** -draw.uniform(1, 320) for sign in (-1, 1) for _ in range(20)]


def main():
    context = gmpy2.get_context()
    context.emax, context.emin = gmpy2.get_emax_max(), gmpy2.get_emin_min()
    for name in unary.FORMATS:
        form = unary.Format(name)
        rows = list(pairs(form, random.Random(14)))
        columns = {"a": [a for a, _ in rows], "b": [b for _, b in rows]}
        for key, function in {"atan2": gmpy2.atan2, "pow": power}.items():
            columns[key] = [rounded(function, form.decode(a), form.decode(b), form) for a, b in rows]
        write(f"binary_{name}", columns, "H", "codes: operands, atan2(a, b) and a**b, each rounded once")
    context.precision = 1200
    columns = {}
    for name in HARD:
        function = unary.PRIMITIVE.get(name) or unary.COMPOSED[name]
        columns[f"{name} of"] = hard(name, random.Random(len(name)))
        columns[name] = [float(function(mpfr(x))) for x in columns[f"{name} of"]]
    write("unary_float64_hard", columns, "d", "float64 bits: each function's operands, and its values rounded once to float64")


if __name__ == "__main__":
    main()
