"""Writes test/golden/stablehlo: programs as JAX writes them, inputs, and what others make of them.

    python scripts/golden/stablehlo.py [FOLDER]        FOLDER is test/golden unless named

Results are those of the specification's reference interpreter (in jaxlib) and of jax.jit on CPU with excess precision off;
test/golden/README.md says how a program's tolerance is to be read.
"""

import gzip
import json
import os
import re
import sys
from collections import Counter
from pathlib import Path

os.environ['JAX_PLATFORMS'] = 'cpu'
os.environ['XLA_FLAGS'] = '--xla_allow_excess_precision=false --xla_force_host_platform_device_count=4'

import jax
import numpy as np
from support import stablehlo_elementwise, stablehlo_structural, stablehlo_whole
from support.stablehlo_oracles import Interpreter, Refused, compiled, jitted
from support.stablehlo_values import bytes_of, type_of

CHECKOUT = Path(__file__).resolve().parents[2]
FILES = {'elementwise': stablehlo_elementwise, 'structural': stablehlo_structural, 'whole': stablehlo_whole}


def text_of(program):
    if program.text is not None:
        return program.text
    traced = jitted(program.function).trace(*program.arguments)
    text = traced.lower(lowering_platforms=(program.platform,)).as_text(debug_info=program.debug)
    # Of a file's path what is the same on every machine.
    return re.sub(r'"/[^"]*site-packages/', '"site-packages/', text.replace(f'{CHECKOUT}/', ''))


class Buffers:
    """Every array once, as hexadecimal bytes."""

    def __init__(self):
        self.places = {}

    def put(self, array):
        word = bytes_of(np.asarray(array)).hex()
        return [type_of(np.asarray(array)), self.places.setdefault(word, len(self.places))]


def main(folder, names):
    interpreter = Interpreter()
    for name in names:
        buffers, rows, refused, seen = Buffers(), [], [], set()
        for program in FILES[name].programs():
            if program.name in seen:
                raise AssertionError(f'two programs are called {program.name}')
            seen.add(program.name)
            given = [np.asarray(a) for a in jax.tree.leaves(program.arguments)]
            with jax.enable_x64(program.wide):
                text = text_of(program)
                results = {}
                for oracle, tolerance in program.oracles.items():
                    try:
                        if oracle == 'interpreter':
                            found = interpreter.run(text, given)
                        else:
                            found = compiled(jitted(program.function), program.arguments)
                    except Refused as reason:
                        refused.append(f'{oracle} refuses {program.name}: {reason}')
                        continue
                    results[oracle] = {'tolerance': tolerance, 'results': [buffers.put(r) for r in found]}
            if results:
                stored = [buffers.put(a) for a in given]
                rows.append({'name': program.name, 'text': text, 'arguments': stored, 'oracles': results})
        write(folder / 'stablehlo' / f'{name}.json.gz', {'buffers': list(buffers.places), 'programs': rows})
        asked = Counter(oracle for row in rows for oracle in row['oracles'])
        print(f'{name}: {len(rows)} programs, {dict(asked)}')
        for line in refused:
            print(f'  {line}')
    interpreter.close()


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(content, separators=(',', ':'))
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == '__main__':
    given = [a for a in sys.argv[1:] if not a.startswith('--only=')]
    only = [a.removeprefix('--only=') for a in sys.argv[1:] if a.startswith('--only=')]
    golden = Path(given[0]) if given else CHECKOUT / 'test' / 'golden'
    main(golden, only or list(FILES))
