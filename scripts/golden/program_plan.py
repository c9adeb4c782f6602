"""Programs on meshes for `tpu-toolkit plan --program`: the text that JAX lowers them to, the products of matrices of the jaxpr with
their sizes, and the sizes that XLA's partitioner gives each device. Needs jax alone.
"""

import glob
import json
import os
import re
import tempfile
from math import prod

dumps = tempfile.mkdtemp()
os.environ['XLA_FLAGS'] = f'--xla_force_host_platform_device_count=8 --xla_dump_to={dumps} --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=spmd-partitioning'
os.environ['JAX_PLATFORMS'] = 'cpu'

import jax
import jax.numpy as jnp
from jax.extend.core import jaxprs_in_params
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

out = os.path.join(os.path.dirname(__file__), '../../test/golden/planning/programs')


def products(jaxpr, runs=1):
    """The dot_generals of a jaxpr: batch, m, k, n and how often each runs."""
    for eqn in jaxpr.eqns:
        if eqn.primitive.name == 'dot_general':
            (lc, rc), (lb, rb) = eqn.params['dimension_numbers']
            l, r = (v.aval.shape for v in eqn.invars)
            yield [
                prod(l[i] for i in lb),
                prod(d for i, d in enumerate(l) if i not in (*lc, *lb)),
                prod(l[i] for i in lc),
                prod(d for i, d in enumerate(r) if i not in (*rc, *rb)),
                runs,
            ]
        inner = runs * eqn.params['length'] if eqn.primitive.name == 'scan' else runs
        for sub in jaxprs_in_params(eqn.params):
            yield from products(sub, inner)


def partitioned(text):
    """The dots of the program of one device: batch, m, k, n."""
    shapes = {name: [int(d) for d in dims.split(',') if d] for name, dims in re.findall(r'(%?[\w.-]+) = \w+\[([\d,]*)\]', text)}
    found = []
    for left, right, rest in re.findall(r' dot\((?:\S+ )?(%?[\w.-]+), (?:\S+ )?(%?[\w.-]+)\)([^\n]*)', text):
        dims = lambda name: [int(d) for d in (re.findall(name + r'=\{([\d,]*)\}', rest) or [''])[0].split(',') if d]
        l, r = shapes[left], shapes[right]
        lc, rc, lb, rb = (dims(n) for n in ('lhs_contracting_dims', 'rhs_contracting_dims', 'lhs_batch_dims', 'rhs_batch_dims'))
        found.append([
            prod(l[i] for i in lb),
            prod(d for i, d in enumerate(l) if i not in (*lc, *lb)),
            prod(l[i] for i in lc),
            prod(d for i, d in enumerate(r) if i not in (*rc, *rb)),
        ])
    return sorted(found)


def mesh(**axes):
    return jax.make_mesh(tuple(axes.values()), tuple(axes), axis_types=(AxisType.Auto,) * len(axes))


def mlp(x, up, down):
    return jax.nn.gelu(x @ up) @ down


def attention(x, q, k, v, o):
    b, t, _ = x.shape
    heads = lambda w: (x.reshape(b * t, -1) @ w).reshape(b, t, 8, 16)
    scores = jnp.einsum('bthd,bshd->bhts', heads(q), heads(k))
    mixed = jnp.einsum('bhts,bshd->bthd', jax.nn.softmax(scores), heads(v))
    return mixed.reshape(b * t, 128) @ o


def layers(x, w):
    return jax.lax.scan(lambda h, one: (jax.nn.relu(h @ one), None), x, w)[0]


def rows(x, w):
    return jax.lax.with_sharding_constraint(x, NamedSharding(ways, P('data', None))) @ w


ways = mesh(data=2, model=4)
one = mesh(data=8)
bf16 = jnp.bfloat16
cases = {
    # name: function, shapes, mesh, specs
    'mlp_data': (mlp, [(32, 64), (64, 96), (96, 64)], one, [P('data'), P(), P()]),
    'mlp_megatron': (mlp, [(32, 64), (64, 96), (96, 64)], ways, [P('data'), P(None, 'model'), P('model', None)]),
    'attention_heads': (attention, [(4, 16, 64)] + [(64, 128)] * 3 + [(128, 64)], ways, [P('data')] + [P(None, 'model')] * 3 + [P('model', None)]),
    'scan': (layers, [(32, 64), (6, 64, 64)], one, [P('data'), P()]),
    'constraint': (rows, [(32, 64), (64, 96)], ways, [P(), P(None, 'model')]),
}

os.makedirs(out, exist_ok=True)
facts = {'versions': {'jax': jax.__version__}, 'programs': {}}
for name, (f, shapes, where, specs) in cases.items():
    args = [jax.ShapeDtypeStruct(s, bf16, sharding=NamedSharding(where, spec)) for s, spec in zip(shapes, specs)]
    lowered = jax.jit(f).lower(*args)
    text = lowered.as_text(debug_info=True).replace(os.getcwd() + '/', '')
    with open(os.path.join(out, name + '.mlir'), 'w') as file:
        file.write(re.sub(r'"[^"]*/(scripts/golden/)', r'"\1', text))
    compiled = lowered.compile()
    [dump] = glob.glob(os.path.join(dumps, '**/*after_spmd-partitioning*'), recursive=True)
    with open(dump) as file:
        after = file.read()
    os.remove(dump)
    facts['programs'][name] = {
        'products': sorted(products(jax.make_jaxpr(f)(*args).jaxpr)),
        'partitioned': partitioned(after),
        'shards': [list(s.shard_shape(shape)) for s, shape in zip(compiled.input_shardings[0], shapes)],
    }
with open(os.path.join(out, 'programs.json'), 'w') as file:
    json.dump(facts, file, indent=1)
    file.write('\n')
