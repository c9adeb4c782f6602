import jax
import numpy as np
from safetensors.numpy import save_file


def dump(step, *args, file='step'):
    """Writes the program of step(*args) and its arguments, for `tpu-toolkit doctor file.mlir --inputs file.safetensors`."""
    lowered = jax.jit(step, keep_unused=True).lower(*args)
    with open(f'{file}.mlir', 'w') as f:
        f.write(lowered.as_text(debug_info=True))
    save_file({f'arg{i}': np.asarray(a) for i, a in enumerate(jax.tree.leaves(args))}, f'{file}.safetensors')
