"""Answer keys of the unary functions: correctly rounded results for every code of bfloat16 and float16, by MPFR.

Writes test/golden/functions/unary_sha256.json: each result is enclosed at rising precision until both ends of the
enclosure round alike. Writes unary_float64.{json,bin} there too: values rounded once to float64 for 518 operands, against
which the float64 evaluation is measured. Shares nothing with src/numbers/functions: another language, another library.

    pip install gmpy2==2.3.2
    python scripts/golden/unary.py            # about one minute on one core; --format bfloat16 for one format
"""

import argparse
import hashlib
import json
import math
import pathlib
import random
import struct
import sys

import gmpy2
from gmpy2 import mpfr

FORMATS = {"bfloat16": (8, 7, 127), "float16": (5, 10, 15)}  # exponent bits, mantissa bits, bias
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "test" / "golden" / "functions"


class Format:
    def __init__(self, name):
        self.exponent_bits, self.mantissa_bits, self.bias = FORMATS[name]
        self.infinity = (2**self.exponent_bits - 1) << self.mantissa_bits
        self.nan = self.infinity | 1 << (self.mantissa_bits - 1)

    def decode(self, code):
        """A special name, or the sign and (integer, exponent) of a number."""
        negative, magnitude = code >> 15, code & 0x7FFF
        if magnitude > self.infinity:
            return "nan"
        if magnitude == self.infinity:
            return "-inf" if negative else "inf"
        if magnitude == 0:
            return "-0" if negative else "0"
        exponent, mantissa = divmod(magnitude, 1 << self.mantissa_bits)
        if exponent:
            mantissa += 1 << self.mantissa_bits
        shift = max(exponent, 1) - self.bias - self.mantissa_bits
        return (-mantissa if negative else mantissa), shift

    def encode(self, value):
        """Nearest even of an mpfr number, by its exact integer ratio."""
        if gmpy2.is_nan(value):
            return self.nan
        sign = 0x8000 if gmpy2.is_signed(value) else 0
        if gmpy2.is_infinite(value):
            return sign | self.infinity
        if value == 0:
            return sign
        mantissa, exponent = value.as_mantissa_exp()  # value = mantissa * 2^exponent
        mantissa, exponent = abs(int(mantissa)), int(exponent)
        top = mantissa.bit_length() - 1 + exponent
        if abs(top) > 1000:  # far past every format here, and too long for integers
            return sign | (self.infinity if top > 0 else 0)
        step = max(top, 1 - self.bias) - self.mantissa_bits
        if exponent >= step:
            integer = mantissa << (exponent - step)
        else:
            cut = step - exponent
            integer, rest = mantissa >> cut, mantissa & ((1 << cut) - 1)
            half = 1 << (cut - 1)
            if rest > half or (rest == half and integer & 1):
                integer += 1
        # The integer's carry runs into the exponent field by itself.
        biased = step + self.mantissa_bits + self.bias - 1
        return sign | min((biased << self.mantissa_bits) + integer, self.infinity)


# Where the value is exact at any precision, or special; everything else is enclosed.
INF, ZERO, ONE = mpfr("inf"), mpfr(0), mpfr(1)
NAN = mpfr("nan")

AT_ZERO = {  # results at +-0 that are not the operand itself
    "exp": ONE, "exp2": ONE, "cos": ONE, "cosh": ONE, "erfc": ONE, "sigmoid": mpfr("0.5"),
    "log": -INF, "log2": -INF, "log10": -INF, "lgamma": INF,
}  # fmt: skip
LIMITS = {  # at +inf, -inf
    "exp": (INF, ZERO), "exp2": (INF, ZERO), "expm1": (INF, -ONE),
    "log": (INF, NAN), "log2": (INF, NAN), "log10": (INF, NAN), "log1p": (INF, NAN),
    "sqrt": (INF, NAN), "rsqrt": (ZERO, NAN), "cbrt": (INF, -INF), "reciprocal": (ZERO, mpfr("-0")),
    "sin": (NAN, NAN), "cos": (NAN, NAN), "tan": (NAN, NAN), "asin": (NAN, NAN), "acos": (NAN, NAN),
    "sinh": (INF, -INF), "cosh": (INF, INF), "tanh": (ONE, -ONE),
    "asinh": (INF, -INF), "acosh": (INF, NAN), "atanh": (NAN, NAN),
    "sigmoid": (ONE, ZERO), "softplus": (INF, ZERO), "erf": (ONE, -ONE), "erfc": (ZERO, mpfr(2)),
    "silu": (INF, mpfr("-0")), "gelu": (INF, mpfr("-0")), "geluTanh": (INF, mpfr("-0")), "lgamma": (INF, INF),
    "square": (INF, INF), "abs": (INF, INF), "neg": (-INF, INF), "sign": (ONE, -ONE),
    "floor": (INF, -INF), "ceil": (INF, -INF), "rint": (INF, -INF), "trunc": (INF, -INF), "relu": (INF, ZERO),
}  # fmt: skip


def sigmoid(x):
    return 1 / (1 + gmpy2.exp(-x))


def softplus(x):
    return x + gmpy2.log1p(gmpy2.exp(-x)) if x > 0 else gmpy2.log1p(gmpy2.exp(x))


def gelu(x):
    return x / 2 * gmpy2.erfc(-x / gmpy2.sqrt(mpfr(2)))


def gelu_tanh(x):
    inner = gmpy2.sqrt(2 / gmpy2.const_pi()) * (x + mpfr(44715) / 1000000 * x**3)
    return x / (1 + gmpy2.exp(-2 * inner))  # 1 + tanh(u) = 2 / (1 + exp(-2 u)), without its cancellation


# MPFR rounds each of these correctly at the working precision. The compositions lose what `lost_bits` allows.
PRIMITIVE = {
    "exp": gmpy2.exp, "exp2": gmpy2.exp2, "expm1": gmpy2.expm1, "log": gmpy2.log, "log2": gmpy2.log2, "log10": gmpy2.log10,
    "log1p": gmpy2.log1p, "sqrt": gmpy2.sqrt, "rsqrt": gmpy2.rec_sqrt, "cbrt": gmpy2.cbrt,
    "reciprocal": lambda x: 1 / x, "sin": gmpy2.sin, "cos": gmpy2.cos, "tan": gmpy2.tan, "asin": gmpy2.asin,
    "acos": gmpy2.acos, "atan": gmpy2.atan, "sinh": gmpy2.sinh, "cosh": gmpy2.cosh, "tanh": gmpy2.tanh,
    "asinh": gmpy2.asinh, "acosh": gmpy2.acosh, "atanh": gmpy2.atanh, "erf": gmpy2.erf, "erfc": gmpy2.erfc,
    "lgamma": lambda x: gmpy2.lgamma(x)[0], "square": lambda x: x * x, "abs": abs, "neg": lambda x: -x,
    "sign": lambda x: mpfr(gmpy2.sign(x)), "floor": gmpy2.rint_floor, "ceil": gmpy2.rint_ceil, "rint": gmpy2.rint,
    "trunc": gmpy2.rint_trunc, "relu": lambda x: x if x > 0 else ZERO,
}  # fmt: skip
COMPOSED = {
    "sigmoid": sigmoid, "softplus": softplus, "silu": lambda x: x * sigmoid(x),
    "gelu": gelu, "geluTanh": gelu_tanh,
}  # fmt: skip
NAMES = list(PRIMITIVE) + list(COMPOSED)


def result(name, code, form):
    x = form.decode(code)
    if x == "nan":
        return form.nan
    if x in ("inf", "-inf"):
        return form.encode(LIMITS[name][x == "-inf"] if name in LIMITS else special_limit(name, x))
    if x in ("0", "-0"):
        zero = mpfr("-0") if x == "-0" else ZERO
        if name in AT_ZERO:
            return form.encode(AT_ZERO[name])
        if name == "rsqrt" or name == "reciprocal":
            return form.encode(-INF if x == "-0" else INF)
        if name in ("square", "abs", "relu"):
            return form.encode(ZERO)
        if name == "neg":
            return form.encode(-zero)
        if name in ("acos", "softplus"):
            return enclosed(name, zero, form)
        if name == "acosh":
            return form.nan
        return form.encode(zero)
    integer, shift = x
    gmpy2.get_context().precision = 64
    value = gmpy2.mul_2exp(mpfr(integer), shift) if shift >= 0 else gmpy2.div_2exp(mpfr(integer), -shift)
    if name == "lgamma" and value < 0 and gmpy2.is_integer(value):
        return form.encode(INF)
    if name in ("atanh",) and abs(value) == 1:
        return form.encode(INF if value > 0 else -INF)
    if name == "log1p" and value == -1:
        return form.encode(-INF)
    return enclosed(name, value, form)


def special_limit(name, x):
    if name == "atan":
        half_pi = gmpy2.const_pi() / 2
        return half_pi if x == "inf" else -half_pi
    raise KeyError(name)


def enclosed(name, x, form):
    context = gmpy2.get_context()
    precision = 80
    while True:
        context.precision = precision
        context.clear_flags()
        if name in PRIMITIVE:
            y = PRIMITIVE[name](x)
            if gmpy2.is_nan(y):
                return form.nan
            if not context.inexact:
                return form.encode(y)
            lost = 2
        else:
            # Errors of 2^-precision in u or x / sqrt(2) grow with the exponent they enter, which stays below 2^20 as
            # long as the result has not underflowed past every format: 48 bits are plenty.
            y = COMPOSED[name](x)
            lost = 48
        if y == 0 or gmpy2.is_infinite(y):  # MPFR's own exponent range left: far past the format's
            return form.encode(y)
        delta = gmpy2.div_2exp(abs(y), precision - lost)
        low, high = form.encode(y - delta), form.encode(y + delta)
        if low == high:
            return low
        precision *= 2
        if precision > 1 << 14:
            raise ArithmeticError(f"{name} [{x}]")


def table(name, form):
    context = gmpy2.get_context()
    context.emax, context.emin = gmpy2.get_emax_max(), gmpy2.get_emin_min()
    context.precision = 80
    return struct.pack("<65536H", *(result(name, code, form) for code in range(65536)))


def float64_key():
    """Columns `operand` and one per function: float64 bits, NaN as 7ff8000000000000."""
    draw = random.Random(1)
    operands = [math.ldexp(draw.uniform(1, 2), draw.randint(-30, 8)) * draw.choice((-1, 1)) for _ in range(250)]
    operands += [centre + sign * 2.0**-k for centre in (1, 2) for sign in (-1, 1) for k in (3, 7, 12, 20, 33)]
    for name in FORMATS:
        form = Format(name)
        for code in range(5, 65536, 521):
            x = form.decode(code)
            if not isinstance(x, str):
                operands.append(math.ldexp(*x))
    context = gmpy2.get_context()
    context.precision = 400
    columns = {"operand": operands}
    for name in NAMES:
        function = PRIMITIVE.get(name) or COMPOSED[name]
        columns[name] = [float(function(mpfr(x))) for x in operands]
    data, layout = b"", []
    for name, column in columns.items():
        layout.append({"name": name, "type": "u64", "offset": len(data), "length": len(column)})
        data += b"".join(struct.pack("<d", math.nan if math.isnan(x) else x) for x in column)
    facts = {"file": "unary_float64.bin", "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    facts |= {"columns": layout, "what": "float64 bits: operands, and each function rounded once to float64"}
    (FOLDER / "unary_float64.bin").write_bytes(data)
    (FOLDER / "unary_float64.json").write_text(json.dumps(facts, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--format", choices=list(FORMATS), action="append")
    parser.add_argument("--only", action="append", help="print the hashes of these functions, write nothing")
    parser.add_argument("--tables", type=pathlib.Path, help="also write every table's bytes into this folder")
    options = parser.parse_args()
    path = FOLDER / "unary_sha256.json"
    key = json.loads(path.read_text()) if path.exists() else {"sha256": {}}
    key["layout"] = "sha256 of 65,536 u16 little-endian results in operand-code order (131,072 bytes)"
    key["generator"] = f"scripts/golden/unary.py, gmpy2 {gmpy2.version()}, {gmpy2.mpfr_version()}"
    for name in options.format or FORMATS:
        hashes = key["sha256"].setdefault(name, {})
        for function in options.only or sorted(NAMES):
            data = table(function, Format(name))
            digest = hashlib.sha256(data).hexdigest()
            if options.tables:
                (options.tables / f"{name}_{function}.bin").write_bytes(data)
            if function in hashes and hashes[function] != digest:
                print(f"differs from the key in place: {name} {function}", file=sys.stderr)
            hashes[function] = digest
            print(name, function, digest, flush=True)
    if not options.only:
        FOLDER.mkdir(parents=True, exist_ok=True)
        float64_key()
        path.write_text(json.dumps(key, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
