"""Computes test/golden/nn/unit_scaling.json: results and gradients of Graphcore's package unit-scaling, float32.

    python3 scripts/golden/torch/unit_scaling_ops.py            # unit-scaling 0.3.5 and torch on a CPU; some seconds
    python3 scripts/golden/torch/unit_scaling_ops.py --check    # compares with what is stored

Operand k of n elements: MurmurHash3's 32-bit finalizer of i + k * 2^20, its upper 16 bits as an int16 times 2^-14. Everything else is a
list of numbers: torch adds in an order of its own.
"""

import json
import sys
from pathlib import Path

import numpy as np
import torch
import unit_scaling
import unit_scaling.functional as U
from unit_scaling.core.functional import transformer_residual_scaling_rule

sys.path.append(str(Path(__file__).resolve().parents[1]))

from support.columnfile import run, write_text


def operand(seed, *shape):
    count = int(np.prod(shape))
    h = (np.arange(count, dtype=np.uint64) + (seed << 20)).astype(np.uint32)
    h ^= h >> 16
    h *= np.uint32(0x85EBCA6B)
    h ^= h >> 13
    h *= np.uint32(0xC2B2AE35)
    h ^= h >> 16
    return torch.from_numpy((h >> 16).astype(np.uint16).view(np.int16).astype(np.float32) * np.float32(2**-14)).reshape(shape)


def numbers(x):
    return [float(v) for v in x.detach().reshape(-1)]


def pulled(f, *inputs):
    leaves = [x.clone().requires_grad_() for x in inputs]
    out = f(*leaves)
    out.backward(operand(9, *out.shape) if out.dim() else torch.tensor(1.0))
    return {'result': numbers(out), 'gradients': [numbers(x.grad) for x in leaves]}


def cases():
    x, y = operand(1, 6, 8), operand(2, 6, 8)
    w = operand(3, 8, 5)
    found = {}
    for name, constraint in (('output', 'to_output_scale'), ('geometric', 'gmean'), ('none', None)):
        found[f'matmul {name}'] = pulled(lambda a, b: U.matmul(a, b, constraint=constraint), x, w)
        found[f'linear {name}'] = pulled(lambda a, b: U.linear(a, b.T, None, constraint=constraint), x, w)
        for mult in (1.0, 0.5, 3.0):
            found[f'gelu {name} {mult:g}'] = pulled(lambda a: U.gelu(a, mult=mult, constraint=constraint), x)
            found[f'silu {name} {mult:g}'] = pulled(lambda a: U.silu(a, mult=mult, constraint=constraint), x)
            found[f'softmax {name} {mult:g}'] = pulled(lambda a: U.softmax(a, dim=-1, mult=mult, constraint=constraint), x)
    found['readout'] = pulled(lambda a, b: U.linear_readout(a, b.T, None), x, w)
    q, k, v = (operand(s, 2, 3, 6, 4) for s in (4, 5, 6))
    labels = torch.tensor([0, 3, 7, 7, 1, 2])
    for mult in (1.0, 0.5, 3.0):
        found[f'siluGlu {mult:g}'] = pulled(lambda a, b: U.silu_glu(a, b, mult=mult), x, y)
        for causal in (False, True):
            found[f'attention {"causal" if causal else "full"} {mult:g}'] = pulled(
                lambda a, b, c: U.scaled_dot_product_attention(a, b, c, is_causal=causal, mult=mult), q, k, v
            )
        found[f'crossEntropy {mult:g}'] = pulled(lambda a: U.cross_entropy(a, labels, mult=mult), x)
        found[f'residual {mult:g}'] = pulled(lambda a: U.residual_apply(lambda b: b * b, a, tau=mult), x)
    found['embedding'] = pulled(lambda t: U.embedding(labels, t), operand(7, 10, 8))
    found['rmsNorm'] = pulled(lambda a, s: U.rms_norm(a, (8,), weight=s), x, operand(8, 8))
    return found


def unit(out):
    rules = {f'{m:g} {r:g}': [transformer_residual_scaling_rule(m, r)(i, 6) for i in range(6)] for m, r in ((1, 1), (0.5, 2))}
    versions = {'unit-scaling': unit_scaling.__version__, 'torch': torch.__version__.split('+')[0]}
    facts = {'generator': 'scripts/golden/torch/unit_scaling_ops.py', **versions, 'tau': rules, 'cases': cases()}
    write_text(out, 'nn/unit_scaling.json', json.dumps(facts) + '\n')


run([unit])
