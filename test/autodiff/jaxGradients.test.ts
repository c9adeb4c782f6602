import { readFileSync } from 'node:fs'
import { vjp } from 'tpu-toolkit/autodiff'
import { type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { functions, tolerance } from './jaxFunctions.js'

interface Array64 {
  readonly shape: readonly number[]
  readonly values: readonly number[]
}
interface Case {
  readonly name: string
  readonly inputs: readonly Array64[]
  readonly cotangent: Array64
  readonly gradients: readonly Array64[]
}

const key = new URL('../golden/autodiff/jax_gradients.json', import.meta.url)
const cases: readonly Case[] = JSON.parse(readFileSync(key, 'utf8')).cases
const read = ({ values, shape }: Array64): Tensor => tensor(values, { shape, dtype: 'float64' })

describe('vjp against jax.vjp in float64', () => {
  it('has a case for every function here, and a function for every case', () => {
    expect(new Set(cases.map(({ name }) => name))).toEqual(new Set(Object.keys(functions)))
  })

  it.each(cases.map((one, i): [string, Case] => [`${i} ${one.name}`, one]))('%s', (_, one) => {
    const [, pullback] = vjp(functions[one.name]!, ...(one.inputs.map(read) as [Tensor, Tensor]))
    const gradients: readonly Tensor[] = pullback(read(one.cotangent))
    for (const [i, { shape, values }] of one.gradients.entries()) {
      expect(gradients[i]!.shape).toEqual(shape)
      const actual = gradients[i]!.toNumbers()
      const scale = Math.max(...values.map(Math.abs), ...one.cotangent.values.map(Math.abs))
      for (const [k, value] of values.entries()) {
        expect(
          Math.abs(actual[k]! - value),
          `${one.name}: input ${i}, element ${k}: ${actual[k]}, not ${value}`,
        ).toBeLessThanOrEqual(tolerance(one.name) * scale)
      }
    }
  })
})
