import { gae } from 'tpu-toolkit/rl'
import { type FloatDType, fromBits, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'

interface Case {
  readonly name: string
  readonly steps: number
  readonly environments: number
  readonly gamma: number
  readonly lambda: number
}

const keys = new Columns('rl/gae')
const cases = keys.facts['cases'] as readonly Case[]

/** The inputs of a case in a dtype; they are bfloat16 values, so that every dtype has them. */
function inputOf({ name, steps, environments }: Case, dtype: FloatDType) {
  const shape = [steps, environments]
  const column = (of: string) =>
    tensor(fromBits(keys.u16(`${name}_${of}`), { shape, dtype: 'bfloat16' }).toNumbers(), { shape, dtype })
  const flags = (of: string) => tensor(keys.u8(`${name}_${of}`), { shape })
  return {
    rewards: column('rewards'),
    values: column('values'),
    nextValues: column('next_values'),
    terminated: flags('terminated'),
    truncated: flags('truncated'),
  }
}

const discount = ({ gamma, lambda }: Case) => ({ gamma, lambda })
const doubles = (name: string) => new Float64Array(BigUint64Array.from(keys.u64(name)).buffer)
const worst = (a: Float64Array, b: Float64Array) => Math.max(...a.map((x, i) => Math.abs(x - b[i]!)))

describe('gae', () => {
  it.each(cases)('$name: float64 advantages and returns are those of the key', (run) => {
    const { advantages, returns } = gae(inputOf(run, 'float64'), discount(run))
    // The key's program multiplies in the same order: only the association of constants may differ.
    expect(worst(advantages.toNumbers(), doubles(`${run.name}_f64_advantages`))).toBeLessThanOrEqual(1e-12)
    expect(worst(returns.toNumbers(), doubles(`${run.name}_f64_returns`))).toBeLessThanOrEqual(1e-12)
  })

  it.each(cases)('$name: truncation as an end', (run) => {
    const { advantages } = gae(inputOf(run, 'float64'), { ...discount(run), truncation: 'end' })
    const expected = doubles(`${run.name}_f64_advantages_truncation_as_end`)
    expect(worst(advantages.toNumbers(), expected)).toBeLessThanOrEqual(1e-12)
  })

  it.each(cases)('$name: float32 and bfloat16, bit for bit', (run) => {
    const single = gae(inputOf(run, 'float32'), discount(run))
    expect(single.advantages.toBits()).toEqual(keys.u32(`${run.name}_f32_advantages`))
    expect(single.returns.toBits()).toEqual(keys.u32(`${run.name}_f32_returns`))
    for (const input of [inputOf(run, 'bfloat16'), inputOf(run, 'float32')]) {
      const narrow = gae(input, { ...discount(run), dtype: 'bfloat16' })
      expect(narrow.advantages.toBits()).toEqual(keys.u16(`${run.name}_bf16_advantages`))
      expect(narrow.returns.toBits()).toEqual(keys.u16(`${run.name}_bf16_returns`))
    }
  })

  it('refuses unlike shapes, what is no tensor, and a discount above 1', () => {
    const input = inputOf(cases[0]!, 'float32')
    expect(() => gae({ ...input, values: tensor([[1]]) })).toThrow(
      'values have another shape than rewards [1, 1]',
    )
    expect(() => gae({ ...input, rewards: [1] as never })).toThrow('gae: rewards: not a tensor')
    expect(() => gae(input, { gamma: 1.5 })).toThrow('gamma is not a number from 0 to 1 [1.5]')
    expect(() => gae(input, { gama: 1 } as never)).toThrow('did you mean gamma')
  })
})
