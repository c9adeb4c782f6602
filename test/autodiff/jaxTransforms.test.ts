import { readFileSync } from 'node:fs'
import { grad, hessian, jvp, scan } from 'tpu-toolkit/autodiff'
import { logAddExp, logSoftmax } from 'tpu-toolkit/numerics'
import * as t from 'tpu-toolkit/tensor'
import { type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { functions, tolerance } from './jaxFunctions.js'

interface Array64 {
  readonly shape: readonly number[]
  readonly values: readonly number[]
}
interface Key {
  readonly jvps: readonly { name: string; inputs: Array64[]; tangents: Array64[]; tangent: Array64 }[]
  readonly hessians: readonly { name: keyof typeof losses; input: Array64; hessian: Array64 }[]
  readonly scans: readonly { reverse: boolean; inputs: Array64[]; results: Array64[]; gradients: Array64[] }[]
}

const key: Key = JSON.parse(
  readFileSync(new URL('../golden/autodiff/jax_transforms.json', import.meta.url), 'utf8'),
)
const read = ({ values, shape }: Array64): Tensor => tensor(values, { shape, dtype: 'float64' })

function agrees(actual: Tensor, { shape, values }: Array64, bound: number): void {
  expect(actual.shape).toEqual(shape)
  const scale = Math.max(1, ...values.map(Math.abs))
  for (const [k, value] of actual.toNumbers().entries()) {
    expect(Math.abs(value - values[k]!), `element ${k}: ${value}, not ${values[k]}`).toBeLessThanOrEqual(
      bound * scale,
    )
  }
}

/** The functions of scripts/golden/autodiff_transforms.py. */
const losses = {
  sineProducts: (x: Tensor): Tensor => t.sum(t.mul(t.exp(t.sin(x)), t.flip(x))),
  logProbability: (x: Tensor): Tensor => t.neg(t.slice(logSoftmax(t.mul(x, t.cumprod(x))), [1])),
  norms: (x: Tensor): Tensor =>
    t.add(t.max(t.tanh(t.matmul(t.outer(x, x), x))), t.sum(logAddExp(x, t.mul(x, 2)))),
}

function rnn(w: Tensor, h: Tensor, xs: Tensor, reverse: boolean): [Tensor, Tensor, Tensor] {
  const [[last, total], ys] = scan(
    ([state, sum]: readonly [Tensor, Tensor], x: Tensor) => {
      const next = t.tanh(t.add(t.matmul(state, w), x))
      return [[next, t.add(sum, t.sum(t.mul(next, x)))] as const, t.mul(t.slice(next, [0]), x)]
    },
    [h, tensor(0, { dtype: 'float64' })] as const,
    xs,
    { reverse },
  )
  return [last, total, ys]
}

describe('against JAX in float64', () => {
  it.each(key.jvps.map((one, i) => [`${i} ${one.name}`, one] as const))('jvp of %s', (_, one) => {
    const [, tangent] = jvp(
      functions[one.name]! as (...xs: Tensor[]) => Tensor,
      one.inputs.map(read),
      one.tangents.map(read),
    )
    agrees(
      tangent,
      one.tangent,
      tolerance(one.name) * Math.max(...one.tangents.flatMap((x) => x.values.map(Math.abs))),
    )
  })

  it.each(key.hessians.map((one) => [one.name, one] as const))('hessian of %s', (name, one) => {
    agrees(hessian(losses[name])(read(one.input)), one.hessian, 2 ** -45)
  })

  it.each(key.scans.map((one) => [one.reverse, one] as const))(
    'scan and its gradient, reverse %s',
    (reverse, one) => {
      const inputs = one.inputs.map(read) as [Tensor, Tensor, Tensor]
      for (const [i, result] of rnn(...inputs, reverse).entries()) agrees(result, one.results[i]!, 2 ** -47)
      const loss = (w: Tensor, h: Tensor, xs: Tensor): Tensor => {
        const [last, total, ys] = rnn(w, h, xs, reverse)
        return t.add(t.add(t.sum(last), total), t.sum(ys))
      }
      const gradients = grad(loss, { argnums: [0, 1, 2] })(...inputs)
      for (const [i, gradient] of gradients.entries()) agrees(gradient, one.gradients[i]!, 2 ** -45)
    },
  )
})
