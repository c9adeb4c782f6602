"""Programs of jax.jit and their results for `npm run bench:jit`, written to FOLDER.

    jit.py FOLDER       writes each program's text and arrays, prints their index as JSON
"""

import json
import os
import re
import sys
from pathlib import Path

os.environ['JAX_PLATFORMS'] = 'cpu'
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'scripts' / 'golden'))

import jax
import numpy as np
from support.stablehlo_jit import results, steps


def main(folder):
    index = []
    for name, function, arguments in steps(True):
        text, found = results(function, arguments)
        stem = re.sub(r'\W', '-', name)
        (folder / f'{stem}.mlir').write_text(text)
        arrays = {'arguments': [np.asarray(a) for a in jax.tree.leaves(arguments)], **found}
        rows = {}
        for kind, list_of in arrays.items():
            (folder / f'{stem}.{kind}').write_bytes(b''.join(a.tobytes() for a in list_of))
            rows[kind] = [[a.dtype.name, list(a.shape), a.nbytes] for a in list_of]
        index.append({'name': name, 'stem': stem, 'arrays': rows})
    print(json.dumps({'jax': jax.__version__, 'programs': index}))


if __name__ == '__main__':
    main(Path(sys.argv[1]))
