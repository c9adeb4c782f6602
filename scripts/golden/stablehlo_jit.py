"""Writes test/golden/stablehlo/jit.json.gz: programs, and their results under jax.jit with its default flags and with excess precision off.

    python scripts/golden/stablehlo_jit.py [FOLDER]        FOLDER is test/golden unless named
"""

import os
import re
import sys
from pathlib import Path

os.environ['JAX_PLATFORMS'] = 'cpu'

import jax
import numpy as np
from stablehlo import CHECKOUT, Buffers, write
from support.stablehlo_jit import results, small
from support.stablehlo_programs import EXACT


def main(folder):
    buffers, rows = Buffers(), []
    for name, function, arguments in small():
        text, found = results(function, arguments, places=not name.startswith('sum'))
        text = re.sub(r'"/[^"]*site-packages/', '"site-packages/', text.replace(f'{CHECKOUT}/', ''))
        given = [buffers.put(np.asarray(a)) for a in jax.tree.leaves(arguments)]
        oracles = {flag: {'tolerance': EXACT, 'results': [buffers.put(r) for r in found[flag]]} for flag in found}
        rows.append({'name': name, 'text': text, 'arguments': given, 'oracles': oracles})
    write(folder / 'stablehlo' / 'jit.json.gz', {'buffers': list(buffers.places), 'programs': rows})
    print(f'jit: {len(rows)} programs')


if __name__ == '__main__':
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else CHECKOUT / 'test' / 'golden')
