"""Regenerates the answer key attention_operands of test/golden/kernels.

    python scripts/golden/kernels_operands.py            writes it in place
    python scripts/golden/kernels_operands.py --check    compares bytes with the stored one instead, exit 1 if they differ

jax.nn.dot_product_attention of JAX 0.10.2 in float64: a bias, a mask and lengths of every example, two query heads to a head of
keys; its result and its gradients, rounded once to float32.
"""

import jax
import jax.numpy as jnp
import numpy as np
from support.columnfile import run, write_columns

jax.config.update('jax_enable_x64', True)
EXAMPLES, HEADS, SHARED, ROWS, KEYS, SIZE = 2, 4, 2, 5, 6, 8
LENGTHS = {'q': [3, 5], 'kv': [6, 2]}


def operands(out):
    """Heads before positions on our side, behind them on JAX's."""
    draw = np.random.default_rng(20261123)
    shapes = {'q': (HEADS, ROWS), 'k': (SHARED, KEYS), 'v': (SHARED, KEYS)}
    given = {name: draw.standard_normal((EXAMPLES, *shape, SIZE)).astype(np.float32) for name, shape in shapes.items()}
    bias = draw.standard_normal((1, HEADS, ROWS, KEYS)).astype(np.float32)
    mask = draw.random((EXAMPLES, 1, ROWS, KEYS)) > 0.3
    mask[..., 0] = True

    def attend(q, k, v, bias):
        turned = (jnp.swapaxes(x, 1, 2) for x in (q, k, v))
        q_lengths, kv_lengths = (np.array(LENGTHS[name], np.int32) for name in ('q', 'kv'))
        how = {'query_seq_lengths': q_lengths, 'key_value_seq_lengths': kv_lengths}
        return jnp.swapaxes(jax.nn.dot_product_attention(*turned, bias=bias, mask=mask, **how), 1, 2)

    args = [x.astype(np.float64) for x in (*given.values(), bias)]
    result = attend(*args)
    slopes = jax.grad(lambda *x: (attend(*x) ** 2).sum(), argnums=(0, 1, 2, 3))(*args)
    words = {**given, 'bias': bias, 'out': result} | dict(zip(('dq', 'dk', 'dv', 'dbias'), slopes, strict=True))
    columns = {name: np.ravel(np.asarray(x, np.float32)).view(np.uint32) for name, x in words.items()}
    columns['mask'] = np.ravel(mask).astype(np.uint8)
    facts = {'lengths': LENGTHS, 'shapes': {name: list(np.shape(x)) for name, x in (words | {'mask': mask}).items()}}
    write_columns(out, 'kernels/attention_operands', columns, facts)


run([operands])
