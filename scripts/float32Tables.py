"""Writes the numbers of src/numbers/functions/float32, a module of TypeScript of which scripts/buildWasm.ts makes one of AssemblyScript.

Every number is computed by mpmath at 300 bits; a number written as a pair is `high + low`, both float64. The hard cases
come from test/golden/functions/hard_float32.json: what was left when all 2^32 operands were compared with MPFR.

    pip install mpmath==1.3.0
    python scripts/float32Tables.py            # about ten seconds; --check compares instead of writing
"""

import json
import pathlib
import re
import sys

from mpmath import asin, atan, chebyfit, erf, erfc, exp, ln, loggamma, mp, mpf, nint, pi, sqrt

from functionTables import js

mp.prec = 300
ROOT = pathlib.Path(__file__).resolve().parents[1]
HARD = ROOT / "test" / "golden" / "functions" / "hard_float32.json"

# Fitted polynomials, lowest coefficient first.


def fit(f, ends, count):
    return [float(c) for c in chebyfit(f, ends, count)[::-1]]


def low(value, high):
    return float(value - mpf(high))


def powers():
    """2^(j/64) as pairs."""
    rows = [mpf(2) ** (mpf(j) / 64) for j in range(64)]
    return [part for row in rows for part in (float(row), low(row, float(row)))]


def grid(value):
    """Cut to a multiple of 2^-42, so that its sum with a multiple of ln 2, cut likewise, is exact."""
    return float(nint(value * mpf(2) ** 42) / mpf(2) ** 42)


def logarithms():
    """c near 1 / (1 + j/64), of 10 bits, and -log c as a pair; from j = 27 on -log(2 c), of the next power of two."""
    numbers = []
    for j in range(65):
        c = nint(1024 / (1 + mpf(j) / 64)) / 1024
        value = -ln(c) - (ln(2) if j >= 27 else 0)
        numbers += [float(c), grid(value), low(value, grid(value))]
    return numbers


def turns():
    """2 / pi in pieces of 24 bits, the first after the binary point."""
    bits = int(mp.floor(2 / pi * mpf(2) ** 240))
    return [float((bits >> (240 - 24 * (i + 1))) & 0xFFFFFF) for i in range(9)]


def arctangents():
    """atan(j/8) as pairs."""
    return [part for j in range(9) for part in (float(atan(mpf(j) / 8)), low(atan(mpf(j) / 8), float(atan(mpf(j) / 8))))]


def arcsine():
    """(asin(x) / x - 1) / x^2 by powers of x^2, for x up to 1/2."""

    def f(z):
        x = sqrt(z)
        return mpf(1) / 6 + 3 * z / 40 if z < mpf(2) ** -80 else (asin(x) / x - 1) / z

    return fit(f, [0, mpf(1) / 4], 13)


def errors():
    """erf on 16 equal parts of 0 .. 4: the centre, then 13 coefficients. The first part is erf(x) / x about 0."""
    numbers = [0.0, 0.0, *fit(lambda x: erf(x) / x if x else 2 / sqrt(pi), [0, mpf(1) / 4], 12)]
    for i in range(1, 16):
        centre = (i + mpf(1) / 2) / 4
        numbers += [float(centre), *fit(lambda t: erf(centre + t), [mpf(-1) / 8, mpf(1) / 8], 13)]
    return numbers


def tails():
    """erfc(x) exp(x^2) below 1/4 and on four equal parts of each octave to 16: the centre, then 13 coefficients."""
    eighth = mpf(1) / 8
    numbers = [0.125, *fit(lambda t: erfc(eighth + t) * exp((eighth + t) ** 2), [-eighth, eighth], 13)]
    for octave in range(-2, 4):
        for part in range(4):
            width = mpf(2) ** octave / 4
            centre = mpf(2) ** octave + (part + mpf(1) / 2) * width
            scaled = lambda t: erfc(centre + t) * exp((centre + t) ** 2)
            numbers += [float(centre), *fit(scaled, [-width / 2, width / 2], 13)]
    return numbers


def gammas():
    """log Gamma(2 + w) / w for w of -1/2 .. 1/2."""
    return fit(lambda w: loggamma(2 + w) / w if w else mp.psi(0, 2), [mpf(-1) / 2, mpf(1) / 2], 20)


TABLES = {
    "powers": (powers, "2^(j/64), j = 0 ... 63, as pairs"),
    "logarithms": (logarithms, "c near 1 / (1 + j/64) and -log c as a pair; from j = 27 on -log(2 c)"),
    "turns": (turns, "2 / pi in pieces of 24 bits"),
    "arctangents": (arctangents, "atan(j/8), j = 0 ... 8, as pairs"),
    "arcsine": (arcsine, "(asin(x) / x - 1) / x^2 by powers of x^2, |x| up to 1/2"),
    "errors": (errors, "erf on 16 parts of 0 ... 4: centre and 13 coefficients; the first has 0 and erf(x) / x"),
    "tails": (tails, "erfc(x) exp(x^2) below 1/4 and on four parts of each octave to 16: centre and 13 coefficients"),
    "gammas": (gammas, "log Gamma(2 + w) / w by powers of w, |w| up to 1/2"),
}


def left_out():
    """What the rows of wasm/assembly/float32/vector.ts leave out of erf and gelu, at most, as part of them.

    They are power series about their centres, of six terms; the two after those go into them by way of Chebyshev's polynomials
    but in erf and about 0. What is left of these is bounded by 1 / 32 and 1 / 64 of their size, what follows by its sum.
    """
    worst = {}
    for name, f, rows, apart, folded in (
        ("erf", erf, range(128), mpf(1) / 32, False),
        ("gelu", lambda x: x / 2 * erfc(-x / sqrt(mpf(2))), range(-512, 512), mpf(1) / 64, True),
    ):
        reach = apart / 2
        for row in rows:
            centre = row * apart
            terms = [abs(term) * reach**n for n, term in enumerate(series(name, centre, 24))]
            if row == 0:
                # f(x) / x falls by less than its first terms.
                part = sum(terms[6:]) / (terms[1] - sum(terms[2:]))
            else:
                rest = terms[6] / 32 + terms[7] / 64 + sum(terms[8:]) if folded else sum(terms[6:])
                # Neither function has its least size between the ends of a part.
                part = rest / min(abs(f(centre - reach)), abs(f(centre + reach)))
            worst[name] = max(worst.get(name, 0), part)
    return worst


def series(name, centre, count):
    """Taylor coefficients of erf, or of gelu, by those of the density: d' = -k x d."""
    k = 2 if name == "erf" else 1
    density = [exp(-k * centre**2 / 2) * (2 / sqrt(pi) if k == 2 else 1 / sqrt(2 * pi))]
    for n in range(count):
        density.append(-k * (centre * density[n] + (density[n - 1] if n else 0)) / (n + 1))
    start = erf(centre) if k == 2 else erfc(-centre / sqrt(mpf(2))) / 2
    terms = [start, *(density[n - 1] / n for n in range(1, count))]
    return terms if k == 2 else [centre * term + (terms[n - 1] if n else 0) for n, term in enumerate(terms)]


FUNCTIONS = (
    "exp exp2 expm1 sinh cosh tanh sigmoid silu geluTanh log log2 log10 log1p asinh acosh atanh softplus "
    "sin cos tan asin acos atan erf erfc gelu lgamma cbrt rsqrt"
).split()


def hard_cases():
    """By function: operand and result, alternately."""
    return json.loads(HARD.read_text())["functions"] if HARD.exists() else {}


def short(number):
    return re.sub(r"\.0$", "", js(number)).replace("e+", "e")


def wrapped(numbers, indent="  "):
    lines, line = [], indent
    for number in numbers:
        text = short(number) + ","
        if len(line) + len(text) + 1 > 108:
            lines.append(line)
            line = indent
        line += text if line == indent else " " + text
    return "\n".join([*lines, line])


def main():
    check = sys.argv[1:] == ["--check"]
    names = {name: (make(), text) for name, (make, text) in TABLES.items()}
    hard = hard_cases()
    flat = [number for name in FUNCTIONS for number in hard.get(name, [])]
    names["hard"] = (flat, "operands whose float64 value rounds to the wrong float32, each before the right one")
    starts, numbers = {}, []
    for name, (table, _) in names.items():
        starts[name] = len(numbers)
        numbers += table
    body = wrapped(numbers).replace(js(sqrt(2)), "Math.SQRT2")
    head = "// Generated by scripts/float32Tables.py (mpmath 1.3.0); do not edit.\n"
    typescript = head + (
        "/** A whole number: to AssemblyScript, which compiles this folder too, an i32. */\n"
        "export type int = number\n\n"
    )
    for name, (_, text) in names.items():
        typescript += f"/** Where these begin: {text}. */\nexport const {name}: int = {starts[name]}\n"
    start = starts["hard"]
    for name in FUNCTIONS:
        end = start + len(hard.get(name, []))
        typescript += f"export const {name}Hard: int = {start}\nexport const {name}End: int = {end}\n"
        start = end
    typescript += "\n// biome-ignore format: a table\n"
    typescript += f"const numbers: Float64Array = new Float64Array([\n{body}\n])\n\n"
    typescript += "/** One of the numbers. */\nexport function at(index: int): number {\n  return numbers[index]!\n}\n"
    if check:
        bounds = {"erf": 37.4, "gelu": 38.7}
        for name, part in left_out().items():
            bound = bounds[name]
            if part > mpf(2) ** -bound:
                sys.exit(f"float32Tables: the rows of {name} leave out more than 2^-{bound} of it")
    path = ROOT / "src" / "numbers" / "functions" / "float32" / "numbers.ts"
    if not check:
        path.write_text(typescript)
    elif re.sub(r"[\s,]", "", path.read_text()) != re.sub(r"[\s,]", "", typescript):
        sys.exit(f"float32Tables: {path.name} is not what the script writes")


if __name__ == "__main__":
    main()
