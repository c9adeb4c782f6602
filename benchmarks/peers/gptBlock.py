"""The gradient of a GPT block in JAX for `npm run bench:stablehlo:block`, written to FOLDER.

    gptBlock.py FOLDER DTYPE WIDTH BATCH LENGTH      writes its text and arguments, prints the names, shapes and its least time on one thread
"""

import json
import os
import sys
import time
from pathlib import Path

os.environ['JAX_PLATFORMS'] = 'cpu'
os.environ['XLA_FLAGS'] = '--xla_cpu_multi_thread_eigen=false'
os.sched_setaffinity(0, {0})
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'scripts' / 'golden'))

import jax
import jax.numpy as jnp
import numpy as np
from support.stablehlo_layers import block, transformer_init
from support.stablehlo_whole import cast


def main(folder, dtype, width, batch, length):
    p = {k: v[0] for k, v in cast(transformer_init(8, width, 4 * width, 1, 5), dtype)['layers'].items()}
    x = cast(np.random.default_rng(7).normal(0, 1, (batch, length, width)).astype(np.float32), dtype)
    step = jax.jit(jax.value_and_grad(lambda p, x: jnp.mean(jnp.square(block(x, p))), (0, 1)))
    lowered = step.lower(p, x)
    (folder / 'block.mlir').write_text(lowered.as_text(debug_info=True))
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves((p, x))]
    (folder / 'arguments').write_bytes(b''.join(leaf.astype(np.float32).tobytes() for leaf in leaves))
    compiled = lowered.compile()
    least = float('inf')
    for _ in range(30):
        began = time.perf_counter()
        jax.block_until_ready(compiled(p, x))
        least = min(least, time.perf_counter() - began)
    names = [*sorted(p), 'x']
    print(json.dumps({'jax': jax.__version__, 'names': names, 'shapes': [list(leaf.shape) for leaf in leaves], 'milliseconds': 1e3 * least}))


if __name__ == '__main__':
    main(Path(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:]))
