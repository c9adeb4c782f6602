import * as tk from 'tpu-toolkit'
import { cast, type FloatDType, type Tensor, tensor } from 'tpu-toolkit'
import { programOf, suggestRewrites } from 'tpu-toolkit/precision'
import { seeded } from 'tpu-toolkit/random'
import { describe, expect, it } from 'vitest'
import { executeText } from '../../support/executeText.js'
import { hamming } from '../../support/hamming.js'
import { seed } from '../../support/seed.js'

const { add, cumsum, div, exp, log, mean, mul, neg, pow, sigmoid, square, sub, sum, tanh, variance } = tk
const { erf, matmul, reshape, softmax, sqrt } = tk

type Unary = (u: Tensor) => Tensor

/** Patterns of one operand, and of lanes. */
const patterns: readonly Unary[] = [
  (u) => log(add(1, u)),
  (u) => sub(exp(u), 1),
  (u) => sub(1, exp(u)),
  (u) => log(sigmoid(u)),
  (u) => log(sub(1, sigmoid(u))),
  (u) => sub(1, tanh(u)),
  (u) => sub(1, square(tanh(u))),
  (u) => sub(1, erf(u)),
  (u) => log(add(1, exp(u))),
  (u) => log(sub(exp(u), 1)),
  (u) => div(1, add(1, exp(neg(u)))),
  (u) => div(sub(exp(u), exp(neg(u))), add(exp(u), exp(neg(u)))),
  (u) => sub(mul(u, u), 1),
  (u) => log(add(u, sqrt(add(square(u), 1)))),
  (u) => sub(pow(add(1, u), 7), 1),
  (u) => sub(sqrt(add(square(u), 1e-3)), u),
  (u) => log(div(exp(u), sum(exp(u), { axis: -1, keepDims: true }))),
  (u) => log(sum(exp(u), { axis: -1 })),
  (u) => div(exp(u), sum(exp(u), { axis: -1, keepDims: true })),
  (u) => softmax(u),
  (u) => sub(mean(square(u), { axis: -1 }), square(mean(u, { axis: -1 }))),
  (u) => variance(u, { axis: -1 }),
  (u) => sum(u, { axis: 0, accumulate: u.dtype as FloatDType }),
  (u) => cumsum(u, { axis: 0 }),
  (u) => sqrt(sum(square(u), { axis: -1 })),
  (u) => matmul(reshape(u, [4, 12]), reshape(u, [12, 4]), { accumulate: u.dtype as FloatDType }),
]

describe(`suggestRewrites prints what it ran (seed ${seed})`, () => {
  const random = seeded(`printed ${seed}`)
  const [low, high] = [-8, 6]
  const draw = (dtype: FloatDType): Tensor => {
    const size = 2 ** (low + (high - low) * random())
    const base = random() < 0.4 ? 20 * size : 0
    return cast(
      tensor(
        Array.from({ length: 48 }, () => base + size * (random() - 0.3)),
        { shape: [12, 4] },
      ),
      dtype,
    )
  }
  const inner: readonly (readonly [string, (x: Tensor, y: Tensor) => Tensor])[] = [
    ['x', (x) => x],
    ['x y', (x, y) => mul(x, y)],
    ['x - y', (x, y) => sub(x, y)],
    ['-x', (x) => neg(x)],
    ['x / 3', (x) => div(x, 3)],
  ]
  const names = Object.keys(hamming)

  // TPU_TOOLKIT_REWRITES=300.
  const wanted = Number(process.env['TPU_TOOLKIT_REWRITES'] ?? 40)
  it(`in ${wanted} random programs of bfloat16, float32 and float64: the text gives the measured bits`, () => {
    let executed = 0
    for (let turn = 0; executed < wanted; turn++) {
      expect(turn).toBeLessThan(20 * wanted)
      const dtype = (['bfloat16', 'float32', 'float64'] as const)[turn % 3]!
      const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
      const [x, y] = [draw(dtype), draw(dtype)]
      const pattern = random() < 0.7 ? pick(patterns) : undefined
      const [, of] = pick(inner)
      const expression = hamming[pick(names)]!
      const all = (p: Tensor, q: Tensor): Record<string, Tensor> => ({
        x: p,
        N: p,
        a: p,
        b: q,
        c: q,
        n: q,
        eps: mul(q, 1e-3),
      })
      const f: (inputs: { x: Tensor; y: Tensor }) => Tensor = pattern
        ? ({ x: p, y: q }) => pattern(of(p, q))
        : ({ x: p, y: q }) => expression(all(p, q))
      const found = suggestRewrites(f, { x, y }, { reference: 'real', atLeast: 0.05 })
      const last = programOf('test', f, { x, y }).steps.length - 1
      for (const { to, steps, alone, operands } of found.rewrites) {
        // One that replaces another step than the last cannot be compared from outside.
        if (steps[0] !== last || operands.length > 0) continue
        // Real numbers have no atan2: the reference of the text would be its own float64 result.
        if (dtype === 'float64' && to.includes('atan2(')) continue
        const printed: typeof f = ({ x: p, y: q }) => executeText(to, { p, q })
        const again = suggestRewrites(printed, { x, y }, { reference: 'real' })
        expect([printed({ x, y }).dtype, again.before], to).toEqual([dtype, alone])
        executed++
      }
    }
  }, 600_000)
})
