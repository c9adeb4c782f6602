"""Writes test/golden/losses/losses.json: optax's losses and their gradients, called operation by operation on CPU.

    python scripts/golden/losses.py [FOLDER]        FOLDER is test/golden unless named

Nothing is given but the formulas of `grid`: values of five significant bits, so that both dtypes hold them. Gradients are
with respect to the first argument, of the losses times the weights of `weights`. Bits are big-endian hex digits. Nothing
is jitted: what jax.nn jits is run with jax.disable_jit, but for ctcLoss, whose lax.scan is compiled.
"""

import json
import os
import sys
from pathlib import Path

os.environ['JAX_PLATFORMS'] = 'cpu'

import jax
import jax.numpy as jnp
import numpy as np
import optax

DTYPES = {'f32': (jnp.float32, np.uint32), 'bf16': (jnp.bfloat16, np.uint16)}
ROWS, CLASSES = 5, 7


def grid(a, b, divisor):
    """((a i + b) mod 31 - 15) / divisor, row by row; the last row eight times as large."""
    i = np.arange(ROWS * CLASSES)
    values = (((a * i + b) % 31 - 15) / divisor).reshape(ROWS, CLASSES)
    values[-1] *= 8
    return values


X = grid(7, 3, 4.0)
Y = grid(11, 8, 4.0)
SIGNS = np.where(Y > 0, 1.0, -1.0)
SHARES = (np.arange(ROWS * CLASSES) * 5 % 8).reshape(ROWS, CLASSES) / 16.0
HARD = (np.arange(ROWS * CLASSES) * 3 % 2).reshape(ROWS, CLASSES).astype(float)
INDEX = np.array([0, 3, 6, 2, 5], np.int32)

# The last row counts nowhere; of the lanes, the second and the last do not.
SHOWN = (np.arange(ROWS * CLASSES) * 3 % 5 > 1).reshape(ROWS, CLASSES)
SHOWN[-1] = False
LANES = np.array([True, False, True, True, False])

LOSSES = {
    'squaredError': (lambda x, y: optax.losses.squared_error(x, y), Y),
    'l2Loss': (lambda x, y: optax.losses.l2_loss(x, y), Y),
    'huberLoss': (lambda x, y: optax.losses.huber_loss(x, y, delta=1.5), Y),
    'logCosh': (lambda x, y: optax.losses.log_cosh(x, y), Y),
    'cosineSimilarity': (lambda x, y: optax.losses.cosine_similarity(x, y), Y),
    'cosineDistance': (lambda x, y: optax.losses.cosine_distance(x, y, epsilon=0.5), Y),
    'sigmoidBinaryCrossEntropy': (lambda x, y: optax.losses.sigmoid_binary_cross_entropy(x, y), SHARES),
    'sigmoidFocalLoss': (lambda x, y: optax.losses.sigmoid_focal_loss(x, y, alpha=0.25), HARD),
    'hingeLoss': (lambda x, y: optax.losses.hinge_loss(x, y), SIGNS),
    'perceptronLoss': (lambda x, y: optax.losses.perceptron_loss(x, y), SIGNS),
    'multiclassHingeLoss': (lambda x, y: optax.losses.multiclass_hinge_loss(x, y), INDEX),
    'multiclassPerceptronLoss': (lambda x, y: optax.losses.multiclass_perceptron_loss(x, y), INDEX),
    'softmaxCrossEntropy': (lambda x, y: optax.losses.softmax_cross_entropy(x, y), SHARES),
    'softmaxCrossEntropyAxis0': (lambda x, y: optax.losses.softmax_cross_entropy(x, y, axis=0), SHARES),
    'safeSoftmaxCrossEntropy': (lambda x, y: optax.losses.safe_softmax_cross_entropy(x, y), SHARES),
    'softmaxCrossEntropyWithIntegerLabels': (
        lambda x, y: optax.losses.softmax_cross_entropy_with_integer_labels(x, y),
        INDEX,
    ),
    'polyLossCrossEntropy': (lambda x, y: optax.losses.poly_loss_cross_entropy(x, y), SHARES),
    'klDivergence': (lambda x, y: optax.losses.kl_divergence(x, y), SHARES),
    'klDivergenceWithLogTargets': (lambda x, y: optax.losses.kl_divergence_with_log_targets(x, y), Y),
    'generalizedKlDivergence': (lambda x, y: optax.losses.generalized_kl_divergence(x, y), SHARES),
    'cosineSimilarityWhere': (lambda x, y: optax.losses.cosine_similarity(x, y, epsilon=0.5, where=SHOWN), Y),
    'softmaxCrossEntropyWhere': (lambda x, y: optax.losses.softmax_cross_entropy(x, y, where=SHOWN), SHARES),
    'softmaxCrossEntropyLanes': (lambda x, y: optax.losses.softmax_cross_entropy(x, y, where=LANES), SHARES),
    'softmaxCrossEntropyWithIntegerLabelsWhere': (
        lambda x, y: optax.losses.softmax_cross_entropy_with_integer_labels(x, y, where=SHOWN),
        INDEX,
    ),
    'polyLossCrossEntropyWhere': (lambda x, y: optax.losses.poly_loss_cross_entropy(x, y, where=SHOWN), SHARES),
    'klDivergenceWhere': (lambda x, y: optax.losses.kl_divergence(x, y, where=SHOWN), SHARES),
    'klDivergenceWithLogTargetsWhere': (
        lambda x, y: optax.losses.kl_divergence_with_log_targets(x, y, where=SHOWN),
        Y,
    ),
    'generalizedKlDivergenceWhere': (
        lambda x, y: optax.losses.generalized_kl_divergence(x, y, where=SHOWN),
        SHARES,
    ),
    'smoothLabels': (lambda x, _: optax.losses.smooth_labels(x, 0.1), Y),
    'smoothLabelsWhere': (lambda x, _: optax.losses.smooth_labels(x, 0.1, where=SHOWN), Y),
}


def weights(shape):
    """1, 2, 3, 1, 2, 3 ..."""
    return (np.arange(int(np.prod(shape))) % 3 + 1.0).reshape(shape)


def hexed(x, word):
    width = 2 * np.dtype(word).itemsize
    return ''.join(f'{int(v):0{width}x}' for v in np.asarray(x).reshape(-1).view(word))


def row(name, short):
    dtype, word = DTYPES[short]
    loss, given = LOSSES[name]
    x = jnp.asarray(X, dtype)
    y = jnp.asarray(given) if given.dtype == np.int32 else jnp.asarray(given, dtype)
    with jax.disable_jit():
        value, pull = jax.vjp(lambda x: loss(x, y), x)
        (gradient,) = pull(jnp.asarray(weights(value.shape), value.dtype))
    # multiclass losses promote to the float32 of their one-hot labels; what is kept is what the logits would get.
    value = value.astype(dtype)
    return {'loss': name, 'dtype': short, 'value': hexed(value, word), 'gradient': hexed(gradient, word)}


def ctc():
    """Four sequences of eight steps over five classes: full, padded steps, padded labels, a label that repeats."""
    i = np.arange(4 * 8 * 5)
    logits = jnp.asarray((((7 * i + 3) % 31 - 15) / 4.0).reshape(4, 8, 5), jnp.float32)
    labels = jnp.asarray([[1, 2, 3], [2, 4, 1], [3, 1, 0], [4, 4, 2]], jnp.int32)
    logit_paddings = jnp.asarray([[0] * 8, [0] * 6 + [1] * 2, [0] * 8, [0] * 7 + [1]], jnp.float32)
    label_paddings = jnp.asarray([[0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 0, 0]], jnp.float32)
    value, pull = jax.vjp(lambda x: optax.losses.ctc_loss(x, logit_paddings, labels, label_paddings), logits)
    (gradient,) = pull(jnp.asarray(weights(value.shape), jnp.float32))
    return {'value': hexed(value, np.uint32), 'gradient': hexed(gradient, np.uint32)}


if __name__ == '__main__':
    if optax.__version__ != '0.2.8':
        sys.exit(f'losses.py: optax is not 0.2.8 [{optax.__version__}]')
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / 'test' / 'golden'
    key = {
        'about': 'optax 0.2.8, jax 0.10.2, CPU, op by op; scripts/golden/losses.py',
        'rows': [row(name, short) for name in LOSSES for short in DTYPES],
        'ctc': ctc(),
    }
    (folder / 'losses').mkdir(exist_ok=True)
    (folder / 'losses' / 'losses.json').write_text(json.dumps(key, indent=1) + '\n')
