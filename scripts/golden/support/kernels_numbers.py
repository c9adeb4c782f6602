"""Rounding, sums and codes that the keys of kernels are made with."""

import ml_dtypes
import numpy as np

from support.checks import expect

F, B = np.float32, ml_dtypes.bfloat16


def f32(bits, *shape):
    return bits.view(F).reshape(shape)


def b16(bits, *shape):
    """bfloat16 codes as float32 values."""
    return bits.view(B).astype(F).reshape(shape)


def q(x):
    return np.asarray(x, F).astype(B).astype(F)


def words(x):
    x = np.ascontiguousarray(x, F)
    return np.where(np.isnan(x), np.uint32(0x7FC00000), x.view(np.uint32)).ravel()


def codes16(x):
    x = np.asarray(x, F)
    return np.where(np.isnan(x), np.uint16(0x7FC0), x.astype(B).view(np.uint16)).ravel()


def once(function, x):
    """A float64 function rounded once to float32."""
    return function(np.asarray(x, np.float64)).astype(F)


def dot(a, b):
    """Products exact in float64, a float32 running sum, k ascending from +0."""
    total = np.zeros((len(a), b.shape[1]), F)
    for p in range(b.shape[0]):
        total = (total.astype(np.float64) + a[:, p, None].astype(np.float64) * b[None, p].astype(np.float64)).astype(F)
    return total


def dot_rounded(a, b):
    total = np.zeros((len(a), b.shape[1]), F)
    for p in range(b.shape[0]):
        total = total + a[:, p, None] * b[None, p]
    return total


def running(x, rounding=F):
    """The running sum along the last axis, each addition rounded."""
    total = np.zeros(x.shape[:-1], F)
    for i in range(x.shape[-1]):
        total = rounding(total + x[..., i])
    return total


def mean(x, rounding=F):
    return rounding((running(x, rounding).astype(np.float64) / x.shape[-1]).astype(F))


def settled(columns, name, computed, slack):
    kept = columns[name].view(np.float64)
    expect(np.abs(np.ravel(computed) - kept) <= slack, f'{name} is within {slack} of what is stored')
    return columns[name]
