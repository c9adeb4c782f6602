"""The thirteen formats as facts, and their codes by table search.

Every value of a format of at most 16 bits, every midpoint between neighbours and every input (float32 or
float64) is a float64, so comparing in float64 is exact: no bit trick, no rounding.
"""

from dataclasses import dataclass

import numpy as np

MODES = ('rne', 'rna', 'rtz', 'rtp', 'rtn', 'rto')


@dataclass(frozen=True)
class Format:
    """kind: ieee (Inf, NaNs), fn (one NaN a sign, no Inf), fnuz (one NaN: -0), finite (neither), scale (e8m0)."""

    name: str
    exponent_bits: int
    mantissa_bits: int
    bias: int
    kind: str

    @property
    def bits(self):
        return self.exponent_bits + self.mantissa_bits + (self.kind != 'scale')

    @property
    def codes(self):
        return 1 << self.bits

    @property
    def sign(self):
        return 0 if self.kind == 'scale' else self.codes >> 1

    @property
    def max_code(self):
        """The code of the largest finite value."""
        top = (self.codes >> 1 if self.sign else self.codes) - 1
        if self.kind == 'ieee':
            return (((1 << self.exponent_bits) - 1) << self.mantissa_bits) - 1
        return top - (self.kind in ('fn', 'scale'))

    @property
    def infinity(self):
        return self.max_code + 1 if self.kind == 'ieee' else None

    @property
    def nan(self):
        """The canonical NaN, None where there is none."""
        if self.kind == 'ieee':
            return self.infinity + (1 << self.mantissa_bits >> 1)
        return {'fn': self.max_code + 1, 'fnuz': self.sign, 'finite': None, 'scale': self.max_code + 1}[self.kind]

    @property
    def dtype(self):
        return np.uint16 if self.bits == 16 else np.uint8

    def magnitude(self, code):
        """The value of a code without sign, by definition; one past max_code it is the next value in sequence."""
        exponent, fraction = code >> self.mantissa_bits, code & ((1 << self.mantissa_bits) - 1)
        hidden = 1 << self.mantissa_bits
        if self.kind != 'scale' and exponent == 0:
            exponent, hidden = 1, 0
        return (hidden + fraction) * 2.0 ** (exponent - self.bias - self.mantissa_bits)

    def value(self, code):
        """The value of a code as a Python float, NaN and infinities included."""
        magnitude, negative = (code & (self.sign - 1), bool(code & self.sign)) if self.sign else (code, False)
        if self.kind == 'fnuz' and code == self.nan:
            return float('nan')
        if magnitude <= self.max_code:
            return -self.magnitude(magnitude) if negative else self.magnitude(magnitude)
        if magnitude == self.infinity:
            return -float('inf') if negative else float('inf')
        return float('nan')

    def values(self):
        return np.array([self.value(c) for c in range(self.codes)])


FORMATS = {
    f.name: f
    for f in (
        Format('bfloat16', 8, 7, 127, 'ieee'),
        Format('float16', 5, 10, 15, 'ieee'),
        Format('float8_e3m4', 3, 4, 3, 'ieee'),
        Format('float8_e4m3', 4, 3, 7, 'ieee'),
        Format('float8_e4m3fn', 4, 3, 7, 'fn'),
        Format('float8_e4m3fnuz', 4, 3, 8, 'fnuz'),
        Format('float8_e4m3b11fnuz', 4, 3, 11, 'fnuz'),
        Format('float8_e5m2', 5, 2, 15, 'ieee'),
        Format('float8_e5m2fnuz', 5, 2, 16, 'fnuz'),
        Format('float8_e8m0fnu', 8, 0, 127, 'scale'),
        Format('float6_e2m3fn', 2, 3, 1, 'finite'),
        Format('float6_e3m2fn', 3, 2, 3, 'finite'),
        Format('float4_e2m1fn', 2, 1, 1, 'finite'),
    )
}

_tables = {}


def _table(f):
    """Ascending magnitudes of codes 0 .. max_code + 1, the last one standing for overflow."""
    if f.name not in _tables:
        _tables[f.name] = np.array([f.magnitude(c) for c in range(f.max_code + 2)])
    return _tables[f.name]


def encode(x, f, mode='rne', saturate=False, negative=None):
    """Codes of the float64 array x in format f, rounded once.

    negative gives the sign where x itself cannot (NaN); a rounding past the largest finite value overflows as
    the format's kind says, or clamps when saturate is set. Ties of e8m0fnu go up, as that format rounds.
    """
    x = np.asarray(x, np.float64)
    negative = np.signbit(x) if negative is None else negative
    nan, infinite, size, table = np.isnan(x), np.isinf(x), np.abs(x), _table(f)
    below = np.clip(np.searchsorted(table, size, 'right') - 1, 0, f.max_code)
    low, high = table[below], table[below + 1]
    middle = low + (high - low) / 2
    odd = (below & 1).astype(bool)
    up = {
        'rne': (size > middle) | ((size == middle) & (odd | (f.kind == 'scale'))),
        'rna': size >= middle,
        'rtz': np.zeros(x.shape, bool),
        'rtp': (size > low) & ~negative,
        'rtn': (size > low) & negative,
        'rto': (size > low) & ~odd,
    }[mode]
    if mode == 'rto':  # past the largest finite value nothing is rounded up: overflow to odd stays finite
        up &= below < f.max_code
    code = np.where(infinite, f.max_code + 1, np.where(size < table[0], 0, below + up))
    over = code > f.max_code
    if saturate or f.kind == 'finite':
        code = np.where(over, f.max_code, code)
    elif f.kind != 'ieee':
        code = np.where(over, f.nan, code)
    if f.kind == 'scale':
        out_of_domain = negative | (size == 0)
        return np.where(nan | out_of_domain, f.nan, code).astype(f.dtype)
    signed = code | np.where(negative, f.sign, 0)
    if f.kind == 'fnuz':
        signed = np.where((code == 0) | (code == f.nan), code, signed)
        return np.where(nan, f.nan, signed).astype(f.dtype)
    if f.kind == 'finite':  # ml_dtypes: NaN becomes a zero of the other sign
        return np.where(nan, np.where(negative, 0, f.sign), signed).astype(f.dtype)
    return np.where(nan, f.nan | np.where(negative, f.sign, 0), signed).astype(f.dtype)


def encode_float32_bits(bits, f, **options):
    """encode of float32 bit patterns: a NaN's sign is kept."""
    bits = np.asarray(bits, np.uint32)
    x = bits.view(np.float32).astype(np.float64)
    return encode(x, f, negative=bits >> 31 != 0, **options)
