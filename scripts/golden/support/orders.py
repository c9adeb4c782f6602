"""Running sums of bfloat16 values in every order, each addition rounded; arrays are [lanes, n], lanes independent.

Values are held in float32. A float32 operation on two bfloat16 values followed by a rounding to bfloat16 is one
rounding (24 >= 2 * 8 + 2), so q(s + v) below is the bfloat16 sum.
"""

import numpy as np


def q(x):
    """float32 to the nearest bfloat16, ties to even, kept as float32. For finite values."""
    bits = np.asarray(x, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32)


def to_codes(x):
    return (q(x).view(np.uint32) >> 16).astype(np.uint16)


def from_codes(codes):
    return (np.asarray(codes).astype(np.uint32) << 16).view(np.float32)


def seq(v):
    """s = q(s + v)."""
    out, s = np.empty_like(v), np.zeros_like(v[:, 0])
    for i in range(v.shape[1]):
        out[:, i] = s = q(s + v[:, i])
    return out


def f32acc(v):
    """A float32 running sum, each output rounded."""
    return q(np.add.accumulate(v, axis=1, dtype=np.float32))


def kahan(v):
    """The rounding error of each addition is taken off the next term."""
    out, s, c = np.empty_like(v), np.zeros_like(v[:, 0]), np.zeros_like(v[:, 0])
    for i in range(v.shape[1]):
        y = q(v[:, i] - c)
        t = q(s + y)
        c = q(q(t - s) - y)
        out[:, i] = s = t
    return out


def neumaier(v):
    """The rounding errors are summed beside s and added at the output."""
    out, s, c = np.empty_like(v), np.zeros_like(v[:, 0]), np.zeros_like(v[:, 0])
    for i in range(v.shape[1]):
        x = v[:, i]
        t = q(s + x)
        large, small = np.where(np.abs(s) >= np.abs(x), (s, x), (x, s))
        c = q(c + q(q(large - t) + small))
        s = t
        out[:, i] = q(s + c)
    return out


def pair(v):
    """Scan both halves, add the left total to the right half. Outputs depend on n, not on the prefix alone."""
    if v.shape[1] == 1:
        return v
    half = v.shape[1] // 2
    left, right = pair(v[:, :half]), pair(v[:, half:])
    return np.concatenate([left, q(right + left[:, -1:])], axis=1)


def rows16(v):
    """Rows of 16 in sequence, the row totals scanned by the same rule (jnp.cumsum on XLA CPU)."""
    lanes, n = v.shape
    if n <= 16:
        return seq(v)
    rows = np.pad(v, ((0, 0), (0, -n % 16))).reshape(-1, 16)
    inside = seq(rows).reshape(lanes, -1, 16)
    before = np.pad(rows16(np.ascontiguousarray(inside[:, :, -1])), ((0, 0), (1, 0)))[:, :-1]
    return q(inside + before[:, :, None]).reshape(lanes, -1)[:, :n]


def assoc(v):
    """Pair sums, scanned by the same rule, are the odd outputs; each even one adds its own term (associative_scan)."""
    n = v.shape[1]
    if n < 2:
        return v
    out = np.empty_like(v)
    odd = assoc(q(v[:, 0 : n - 1 : 2] + v[:, 1:n:2]))
    out[:, 1::2] = odd
    out[:, 0] = v[:, 0]
    out[:, 2::2] = q(odd[:, : (n - 1) // 2] + v[:, 2::2])
    return out


def tree32(v):
    """The total by windows of 32, zeros on both sides (lax.reduce on XLA CPU)."""
    while v.shape[1] > 32:
        missing = -v.shape[1] % 32
        v = np.pad(v, ((0, 0), (missing // 2, missing - missing // 2)))
        v = seq(v.reshape(-1, 32))[:, -1].reshape(v.shape[0], -1)
    return seq(v)[:, -1]


SCANS = {
    'seq': seq,
    'pair': pair,
    'rows16': rows16,
    'assoc': assoc,
    'f32acc': f32acc,
    'kahan': kahan,
    'neumaier': neumaier,
}
PREFIX_STABLE = [name for name in SCANS if name != 'pair']
