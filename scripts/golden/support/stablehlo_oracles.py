"""StableHLO programs run by others: the specification's reference interpreter, in a process of its own, and jax.jit on CPU.

The interpreter ends its process at an operation that it does not know, so it is asked over a pipe, and started again.
"""

import pickle
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np

from support.stablehlo_values import ELEMENTS, INTEGERS, NAMES, bytes_of, type_of


class Refused(Exception):
    """What an oracle does not take."""


class Interpreter:
    """stablehlo.eval_module of jaxlib; chlo is lowered by the pass that the specification's own tests use."""

    def __init__(self):
        self.process = None

    def run(self, text, arrays):
        if self.process is None:
            script = Path(__file__).resolve().parent.parent
            self.process = subprocess.Popen(
                [sys.executable, '-c', 'from support.stablehlo_oracles import serve; serve()'],
                cwd=script, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip
        try:
            pickle.dump((text, [(type_of(a), a.shape, NAMES[a.dtype], bytes_of(a)) for a in arrays]), self.process.stdin)
            self.process.stdin.flush()
            kind, found = pickle.load(self.process.stdout)
        except (EOFError, BrokenPipeError):
            said = self.process.stderr.read().decode().strip().splitlines()
            self.process = None
            raise Refused(next((line for line in said if 'ERROR' in line or 'rror:' in line), 'it ended')[:120]) from None
        if kind == 'refused':
            raise Refused(found)
        return [np.frombuffer(raw, np.dtype(ELEMENTS[name])).reshape(shape) for name, shape, raw in found]

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
            self.process = None


def serve():
    """The other end of the pipe."""
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo
    from jaxlib.mlir.passmanager import PassManager

    stablehlo.register_stablehlo_passes()
    while True:
        try:
            text, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        with mlir.make_ir_context(), ir.Location.unknown():
            try:
                module = ir.Module.parse(in_parts(str(ir.Module.parse(text)), ir) if 'complex<' in text else text)
                if 'chlo.' in text:
                    PassManager.parse('builtin.module(func.func(chlo-legalize-to-stablehlo))').run(module.operation)
                given = [ir.Attribute.parse(f'{literal(*a)} : {a[0]}') for b in arguments for a in parts_of(*b)]
                results = [plain(stablehlo, ir, r) for r in stablehlo.eval_module(module, given)]
                results = joined(results, ir.Module.parse(text)) if 'complex<' in text else results
                answer = ('found', [(NAMES[r.dtype], r.shape, r.tobytes()) for r in results])
            except Exception as error:  # whatever MLIR throws
                answer = ('refused', str(error).strip().splitlines()[0][:120])
        pickle.dump(answer, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def main_of(module):
    """Types of arguments and results."""
    main = next(f for f in module.body.operations if f.operation.name == 'func.func' and f.sym_name.value == 'main')
    return [str(t) for t in main.type.inputs], [str(t) for t in main.type.results]


def in_parts(text, ir):
    """The program with complex arguments and results as two of floats each: the binding has no complex arrays."""
    inputs, results = main_of(ir.Module.parse(text))
    head, body, given, back, types = [], [], [], [], []
    for i, kind in enumerate(inputs):
        part = kind.replace('complex<', '').replace('>>', '>')
        head += [f'%r{i}: {part}, %i{i}: {part}' if 'complex' in kind else f'%r{i}: {kind}']
        if 'complex' in kind:
            body.append(f'%c{i} = stablehlo.complex %r{i}, %i{i} : {kind}')
        given.append(f'%c{i}' if 'complex' in kind else f'%r{i}')
    body.append(f'%out:{len(results)} = func.call @inner({", ".join(given)}) : ({", ".join(inputs)}) -> ({", ".join(results)})')
    for i, kind in enumerate(results):
        part = kind.replace('complex<', '').replace('>>', '>')
        if 'complex' in kind:
            body += [f'%{name}{i} = stablehlo.{name} %out#{i} : ({kind}) -> {part}' for name in ('real', 'imag')]
            back += [f'%real{i}', f'%imag{i}']
            types += [part, part]
        else:
            back.append(f'%out#{i}')
            types.append(kind)
    lines = '\n'.join(body)
    wrapper = f'func.func @main({", ".join(head)}) -> ({", ".join(types)}) {{\n{lines}\nfunc.return {", ".join(back)} : {", ".join(types)}\n}}\n'
    return text.replace('@main(', '@inner(').rstrip()[:-1] + wrapper + '}'


def parts_of(kind, shape, name, raw):
    if not name.startswith('complex'):
        return [(kind, shape, name, raw)]
    both = np.frombuffer(raw, np.dtype(ELEMENTS[name]))
    part = kind.replace('complex<', '').replace('>>', '>')
    return [(part, shape, name[8:-1], np.ascontiguousarray(half).tobytes()) for half in (both.real, both.imag)]


def joined(parts, module):
    results, rest = [], list(parts)
    for kind in main_of(module)[1]:
        first = rest.pop(0)
        if 'complex' in kind:
            both = np.empty(first.shape, np.complex64 if 'f32' in kind else np.complex128)
            both.real, both.imag = first, rest.pop(0)
            first = both
        results.append(first)
    return results


def literal(_, shape, name, raw):
    if len(raw) == 0:
        return 'dense<>'
    if name == 'i1' or name in ('i2', 'i4', 'ui2', 'ui4'):
        flat = np.frombuffer(raw, np.dtype(ELEMENTS[name])).reshape(shape)
        words = (lambda v: str(bool(v)).lower()) if name == 'i1' else (lambda v: str(int(v)))
        return f'dense<{nested(flat, words)}>'
    return f'dense<"0x{raw.hex()}">'


def nested(array, words):
    return words(array) if array.ndim == 0 else '[' + ', '.join(nested(a, words) for a in array) + ']'


def plain(stablehlo, ir, result):
    """A NumPy array of a result; what NumPy's buffers do not know goes through a program that casts it without loss."""
    name = str(result.type.element_type)
    dtype = np.dtype(ELEMENTS[name])

    def through(operation, to):
        shape = ''.join(f'{n}x' for n in result.type.shape)
        wide = f'tensor<{shape}{to}>'
        text = f'func.func @main(%a: {result.type}) -> {wide} {{ %0 = stablehlo.{operation} %a : ({result.type}) -> {wide}\n return %0 : {wide} }}'
        return np.array(stablehlo.eval_module(ir.Module.parse(text), [result])[0])

    if name in ('i2', 'i4'):
        return through('convert', 'i8').astype(dtype)
    if name in ('ui2', 'ui4'):
        return through('convert', 'ui8').astype(dtype)
    if dtype.itemsize == 2 and name == 'bf16':
        return through('bitcast_convert', 'ui16').view(dtype)
    if name.startswith('f8'):
        return through('bitcast_convert', 'ui8').view(dtype)
    if name.startswith(('f4E', 'f6E')):
        return through('convert', 'f32').astype(dtype)
    return np.array(result)


def jitted(function):
    """One that is jitted already, with shardings of its own, stays as it is."""
    return function if hasattr(function, 'lower') else jax.jit(function, keep_unused=True)


def compiled(function, arrays):
    """jax.jit on CPU; the caller has set XLA_FLAGS."""
    results = jax.tree.leaves(function(*arrays))
    return [np.asarray(jax.device_get(r)) for r in results]


def distance(left, right):
    """The largest difference of two arrays in steps of their type (of integers: how many differ), -1 where a NaN or its lack differs."""
    name = NAMES[left.dtype]
    if name in INTEGERS or name == 'i1':
        return int((left != right).sum())
    if name.startswith('complex'):
        part = np.float32 if name == 'complex<f32>' else np.float64
        return max(distance(left.view(part), right.view(part)), 0) if left.size else 0
    if left.size == 0:
        return 0
    with np.errstate(all='ignore'):
        a, b = left.astype(np.float64).ravel(), right.astype(np.float64).ravel()
    if (np.isnan(a) != np.isnan(b)).any():
        return -1
    word = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}[left.dtype.itemsize]

    def order(x):
        bits = np.ascontiguousarray(x).view(word).ravel().astype(object)
        low = int(np.iinfo(word).min)
        return np.array([v if v >= 0 else low - v for v in bits], object)

    steps = np.abs(order(left) - order(right))[~np.isnan(a)]
    return int(max(steps, default=0))

