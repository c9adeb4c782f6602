"""Computes test/golden/kernels/fake_quantize.json: hashes of torch's fake quantisation of 2^20 elements, and of its gradients.

    python3 scripts/golden/torch/fake_quantize.py            # torch on a CPU; some seconds
    python3 scripts/golden/torch/fake_quantize.py --check    # compares with what is stored

Word i is MurmurHash3's 32-bit finalizer of i + seed * 2^20; element i its upper 16 bits as an int16 times 2^-14. -0 is hashed as +0.
Gradients of learned steps and zero points are sums in an order of torch's own: they are stored as numbers.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import torch

sys.path.append(str(Path(__file__).resolve().parents[1]))

from support.columnfile import run, write_text

N = 1 << 20
CASES = {'int8': (-128, 127), 'int8 narrow': (-127, 127), 'uint8': (0, 255), 'int4': (-8, 7), 'uint4': (0, 15)}


def operand(seed, count=N):
    h = (np.arange(count, dtype=np.uint64) + seed * N).astype(np.uint32)
    h ^= h >> 16
    h *= np.uint32(0x85EBCA6B)
    h ^= h >> 13
    h *= np.uint32(0xC2B2AE35)
    h ^= h >> 16
    return torch.from_numpy((h >> 16).astype(np.uint16).view(np.int16).astype(np.float32) * np.float32(2**-14))


def sha(x):
    return hashlib.sha256((x.detach().numpy() + np.float32(0)).tobytes()).hexdigest()


def pulled(f, *inputs):
    leaves = [x.clone().requires_grad_() for x in inputs]
    out = f(*leaves)
    out.backward(operand(2).reshape(out.shape))
    return out, [x.grad for x in leaves]


def per_tensor(least, most):
    zero = 0 if least < 0 else (most + 1) // 2
    scale = float(np.float32(3.7 / (most - least)))
    out, (dx,) = pulled(lambda x: torch.fake_quantize_per_tensor_affine(x, scale, zero, least, most), operand(1))
    return {'step': scale, 'zeroPoint': zero, 'result': sha(out), 'gradient': sha(dx)}


def per_channel(least, most):
    x = operand(1).reshape(64, -1)
    zero = torch.arange(64, dtype=torch.int32) % 5 + (0 if least < 0 else (most + 1) // 2 - 2)
    scale = (torch.arange(64, dtype=torch.float32) + 20) / (8 * (most - least))
    out, (dx,) = pulled(lambda y: torch.fake_quantize_per_channel_affine(y, scale, zero, 0, least, most), x)
    return {'result': sha(out), 'gradient': sha(dx)}


def learned(least, most):
    zero = 0.0 if least < 0 else float((most + 1) // 2)
    scale = torch.tensor([3.7 / (most - least)])
    out, (dx, ds, dz) = pulled(
        lambda x, s, z: torch._fake_quantize_learnable_per_tensor_affine(x, s, z, least, most, 1.0),
        operand(1), scale, torch.tensor([zero]),
    )
    return {'step': float(scale), 'zeroPoint': zero, 'result': sha(out), 'gradient': sha(dx), 'ofStep': float(ds), 'ofZero': float(dz)}


def observed(least, most):
    x = operand(1)[:4096] * 0.37 + 0.11
    kind = torch.per_tensor_symmetric if least < 0 else torch.per_tensor_affine
    observer = torch.ao.quantization.MinMaxObserver(
        dtype=torch.qint8 if least < 0 else torch.quint8, qscheme=kind, quant_min=least, quant_max=most
    )
    observer(x)
    scale, zero = observer.calculate_qparams()
    out = torch.fake_quantize_per_tensor_affine(x, scale, zero.to(torch.int32), least, most)
    return {'step': float(scale), 'zeroPoint': int(zero), 'result': sha(out)}


def fake_quantize(out):
    facts = {'generator': 'scripts/golden/torch/fake_quantize.py', 'torch': torch.__version__.split('+')[0]}
    for name, f in (('perTensor', per_tensor), ('perChannel', per_channel), ('learned', learned), ('observed', observed)):
        facts[name] = {case: f(*limits) for case, limits in CASES.items()}
    write_text(out, 'kernels/fake_quantize.json', json.dumps(facts, indent=1) + '\n')


run([fake_quantize])
