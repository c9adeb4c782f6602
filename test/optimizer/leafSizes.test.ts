import { optimizer as o } from 'tpu-toolkit'
import { seeded } from 'tpu-toolkit/random'
import * as t from 'tpu-toolkit/tensor'
import { describe, expect, test } from 'vitest'
import { seed } from '../support/seed.js'

// Long arrays have kernels and short ones loops: an optimizer that treats every element by itself gives a leaf and its parts the
// same bits.
const size = 130
const cuts = [50, 101]
const dtypes = ['float32', 'bfloat16', 'float16', 'float8_e5m2', 'float8_e4m3fn', 'float64'] as const

const makers: Readonly<Record<string, (arithmetic: o.Arithmetic) => o.GradientTransformation<never>>> = {
  adam: (arithmetic) => o.adam({ learningRate: 0.01, arithmetic }) as never,
  adamw: (arithmetic) => o.adamw({ learningRate: 0.01, weightDecay: 0.1, arithmetic }) as never,
  nadamw: (arithmetic) => o.nadamw({ learningRate: 0.01, arithmetic }) as never,
  amsgrad: (arithmetic) => o.amsgrad({ learningRate: 0.01, arithmetic }) as never,
  adabelief: (arithmetic) => o.adabelief({ learningRate: 0.01, arithmetic }) as never,
  adagrad: (arithmetic) => o.adagrad({ learningRate: 0.01, arithmetic }) as never,
  adamax: (arithmetic) => o.adamax({ learningRate: 0.01, arithmetic }) as never,
  radam: (arithmetic) => o.radam({ learningRate: 0.01, arithmetic }) as never,
  rmsprop: (arithmetic) =>
    o.rmsprop({ learningRate: 0.01, momentum: 0.9, centered: true, arithmetic }) as never,
  lion: (arithmetic) => o.lion({ learningRate: 0.01, arithmetic }) as never,
  yogi: (arithmetic) => o.yogi({ learningRate: 0.01, arithmetic }) as never,
  sgd: (arithmetic) => o.sgd({ learningRate: 0.01, momentum: 0.9, nesterov: true, arithmetic }) as never,
  adadelta: (arithmetic) => o.adadelta({ learningRate: 0.01, arithmetic }) as never,
}

/** A vector whole, and in parts too short for most kernels; a second leaf, since one leaf alone is a case of its own. */
function both(values: readonly number[], dtype: t.FloatDType): readonly [t.Tensor[], t.Tensor[]] {
  const whole = t.tensor(values, { dtype })
  const parts = t.split(whole, cuts)
  const other = t.tensor([1, 2], { dtype })
  return [
    [whole, other],
    [...parts, other],
  ]
}

const bitsOf = (leaves: readonly t.Tensor[]): string =>
  leaves.map((x) => Array.from(x.toBits(), (bits: number | bigint) => String(bits)).join(' ')).join(' ')

describe.each(['ieee', 'xla-cpu'] as const)(`leaves of any size (%s, seed ${seed})`, (arithmetic) => {
  test.each(Object.keys(makers))('%s gives a vector the bits of its parts', (name) => {
    const draw = seeded(`deferred ${name} ${seed}`)
    const special = [0, -0, Infinity, -Infinity, Number.NaN, 1e-40, -1e-39, 1e30, 2 ** -20]
    const value = (): number =>
      draw() < 0.06 ? special[Math.floor(draw() * special.length)]! : (draw() - 0.5) * 2 ** (draw() * 12 - 8)
    for (const dtype of dtypes) {
      const draws = (): readonly [t.Tensor[], t.Tensor[]] => both(Array.from({ length: size }, value), dtype)
      const transform = makers[name]!(arithmetic)
      const [whole, parts] = draws()
      let one = { params: whole, state: transform.init(whole) }
      let many = { params: parts, state: transform.init(parts) }
      for (let step = 0; step < 3; step++) {
        const [g, gParts] = draws()
        one = o.applyGradients(transform, g, one, { arithmetic }) as typeof one
        many = o.applyGradients(transform, gParts, many, { arithmetic }) as typeof many
        expect(bitsOf(one.params), `${dtype}, step ${step}`).toBe(bitsOf(many.params))
      }
    }
  })
})
