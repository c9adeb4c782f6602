"""Answer keys of tensor's composed operations, by NumPy 2.4.6 and JAX 0.10.2.

Writes test/golden/tensor/composed.json: cases of a call (name, arguments, options by our names) and its result in nested
lists; a float that is no number is a string. Needs numpy and jax; two seconds.

    python scripts/golden/tensor_ops.py
"""

import json
import math
import pathlib

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_platforms", "cpu")
OUT = pathlib.Path(__file__).resolve().parents[2] / "test" / "golden" / "tensor" / "composed.json"
CASES = []


def plain(x):
    if isinstance(x, (list, tuple)):
        return [plain(each) for each in x]
    if isinstance(x, float) and not math.isfinite(x):
        return str(x)
    return x


def case(name, args, options, result):
    result = np.asarray(result)
    CASES.append({"op": name, "args": plain(args), "options": options, "shape": list(result.shape), "result": plain(result.tolist())})


def arrays(*args):
    return [arg.tolist() if isinstance(arg, np.ndarray) else arg for arg in args]


def main():
    draw = np.random.default_rng(14)
    x = np.round(draw.normal(size=(3, 4)) * 8) / 4
    y = np.round(draw.normal(size=(2, 3, 4)) * 8) / 4
    square = np.round(draw.normal(size=(4, 4)) * 8) / 4
    holes = np.array([1.0, np.nan, 3.0, -0.0, 0.0, 3.0, np.inf, -np.inf])
    for n, columns, k in [(3, 3, 0), (2, 5, 2), (4, 2, -1), (2, 2, 7), (0, 3, 0)]:
        case("eye", [n], {"columns": columns, "k": k}, np.eye(n, columns, k))
    for start, stop, count, end in [(0, 1, 7, True), (-3, 2, 11, False), (5, 5, 1, True), (1, 2, 1, False), (0.1, 0.7, 13, True), (1, 0, 0, True)]:
        case("linspace", [start, stop, count], {"endpoint": end, "dtype": "float64"}, np.linspace(start, stop, count, endpoint=end))
    for axis in (None, 0, -1, [0, 2]):
        options = {} if axis is None else {"axis": axis}
        of = tuple(axis) if isinstance(axis, list) else axis
        case("all", arrays(y), options, np.all(y, axis=of))
        case("any", arrays(y * (y > 1.5)), options, np.any(y * (y > 1.5), axis=of))
        case("prod", arrays(y), options, np.prod(y, axis=of))
    for shift, axis in [(1, None), (-2, None), (5, 1), (-1, 0), (0, 1), (9, -1)]:
        case("roll", arrays(x, shift), {} if axis is None else {"axis": axis}, np.roll(x, shift, axis))
    case("pad", arrays(x, [[1, 0], [2, 3]]), {"value": 0.5}, np.pad(x, [(1, 0), (2, 3)], constant_values=0.5))
    case("pad", arrays(x, [0, 1]), {}, np.pad(x, [(0, 0), (1, 1)]))
    case("outer", arrays(x[0], y[1, :, 2]), {}, np.outer(x[0], y[1, :, 2]))
    for low, high in [(-1, 1), (0, None), (None, 0.25), (1, -1)]:
        case("clip", arrays(x, low, high), {}, np.clip(x, low, high))
    for axis in (0, 1, -1):
        case("sort", arrays(y), {"axis": axis}, np.sort(y, axis=axis))
        case("argsort", arrays(y), {"axis": axis}, np.argsort(y, axis=axis, kind="stable"))
        case("sort", arrays(y), {"axis": axis, "descending": True}, np.asarray(jnp.sort(y, axis=axis, descending=True)))
        case("argsort", arrays(y), {"axis": axis, "descending": True}, np.asarray(jnp.argsort(y, axis=axis, descending=True, stable=True)))
    case("argsort", arrays(holes), {}, np.argsort(holes, kind="stable"))
    case("argsort", arrays(holes), {"descending": True}, np.asarray(jnp.argsort(holes, descending=True, stable=True)))
    for k in (0, 2, 4):
        values, indices = jax.lax.top_k(jnp.asarray(x), k)
        case("topK.values", arrays(x, k), {}, np.asarray(values))
        case("topK.indices", arrays(x, k), {}, np.asarray(indices))
    indices = np.array([[0, 2, 1, 0], [2, 2, -1, 1]])
    case("takeAlongAxis", arrays(x, indices), {"axis": 0}, np.take_along_axis(x, indices, axis=0))
    indices = np.array([[3], [-4], [0]])
    case("takeAlongAxis", arrays(x, indices), {"axis": 1}, np.take_along_axis(x, indices, axis=1))
    many = np.array([0, 2, 0, 1, 0, 2])
    rows = np.round(draw.normal(size=(6, 4)) * 8) / 4
    case("scatterAdd", arrays(x, many, rows), {}, np.asarray(jnp.asarray(x).at[many].add(rows)))
    columns = np.array([[3, -1], [0, 0]])
    updates = np.round(draw.normal(size=(3, 2, 2)) * 8) / 4
    case("scatterAdd", arrays(x, columns, updates), {"axis": 1}, np.asarray(jnp.asarray(x).at[:, columns].add(updates)))
    case("oneHot", [[2, 0, -1, 5], 3], {}, np.asarray(jax.nn.one_hot(jnp.array([2, 0, -1, 5]), 3)))
    for spec, operands in [
        ("ij,kj->ik", [x, square]), ("ij,jk", [x, square]), ("bij,jk->bki", [y, square]), ("bij,bij->b", [y, y]),
        ("ii", [square]), ("ii->i", [square]), ("ij->ji", [x]), ("ij->j", [x]), ("bij->", [y]), ("ba", [x]),
        ("i,j->ij", [x[0], x[1]]), ("ij,j,k->ik", [x, x[0], x[1]]), ("bij,ij->bi", [y, x]), ("ij,bkj,b->ikb", [x, y, x[:2, 0]]),
        ("iij,j->i", [np.stack([square[:, :3]] * 4), x[:, 0]]), (",ij->ij", [np.float64(2.0), x]), ("aij,akj->aik", [y, y]),
        ("ij,ij->ij", [x, x]), ("ij, jk -> k", [x, square]),
        ("...ij,jk->...ik", [y, square]), ("...j,j", [y, x[0]]), ("i...->...", [y]), ("...i,...i->...", [y, y]), ("...ii->i...", [square]),
        ("...,...", [y, x]), ("b...,...->...b", [y, x[:1]]), ("...ij,...ij->ij...", [y[:1], y]), ("ij...,j...->i...", [y, x]), ("...ij->ji", [x]),
        ("...,...ij->i...j", [x[:2, 0], np.stack([x, x + 1])]),
    ]:  # fmt: skip
        given = [np.asarray(operand) for operand in operands]
        case("einsum", [spec, [each.tolist() for each in given]], {}, np.einsum(spec, *given))
    for order in (1, 2, np.inf):
        for axis in (None, 1):
            flat = np.linalg.norm(x.ravel(), order) if axis is None else np.linalg.norm(x, order, axis)
            case("norm", arrays(x), {"ord": plain(float(order))} | ({} if axis is None else {"axis": axis}), flat)
    case("std", arrays(x), {}, np.std(x))
    case("std", arrays(x), {"axis": 0}, np.std(x, axis=0))
    lines = ",\n".join(json.dumps(each) for each in CASES)
    OUT.write_text(f'{{"made_with": "NumPy {np.__version__}, JAX {jax.__version__}", "cases": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    jax.config.update("jax_enable_x64", True)
    main()
