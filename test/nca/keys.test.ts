import { grad } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { type NcaParams, ncaRollout, ncaStep, perceive } from 'tpu-toolkit/nca'
import { cast, type FloatDType, mean, slice, square, type Tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'
import { automaton, cases, dtypes, keys } from './automata.js'

const more = new Columns('nca/more')
const gradients = new Columns('nca/gradients')

function column(
  of: Columns,
  name: string,
  dtype: FloatDType,
): Uint8Array | Uint16Array | Uint32Array | BigUint64Array {
  if (dtype === 'float64') return of.u64(name)
  if (dtype === 'float32') return of.u32(name)
  return dtype.startsWith('float8') ? of.u8(name) : of.u16(name)
}

const runs: readonly (readonly [label: string, of: Columns, dtype: FloatDType, stateDtype: FloatDType])[] = [
  ...['f64', 'f32', 'bf16'].map((name) => [name, keys, dtypes[name]!, dtypes[name]!] as const),
  ['bf16-f32state', keys, 'bfloat16', 'float32'],
  ...['f16', 'e5m2'].map((name) => [name, more, dtypes[name]!, dtypes[name]!] as const),
  ...['f32-bf16', 'bf16-e4m3fn', 'e4m3fn-bf16', 'e4m3fn-f32'].map((name) => {
    const [dtype, state] = name.split('-')
    return [`${name}state`, more, dtypes[dtype!]!, dtypes[state!]!] as const
  }),
]

describe.each(runs)('ncaRollout, %s', (label, of, dtype, stateDtype) => {
  it.each(cases)('gives every bit of the state after each step: $name', (one) => {
    const { params, x0, options } = automaton(one)
    const states = ncaRollout(params, x0, { ...options, dtype, stateDtype, keep: 'all' })
    expect(states.dtype).toBe(stateDtype)
    expect(states.toBits()).toEqual(column(of, `${one.name}_${label}`, stateDtype))
  })
})

describe('ncaRollout, compiled', () => {
  it.each(cases)('gives the bits of the steps one by one: $name', (one) => {
    const { params, x0, options } = automaton(one)
    for (const [dtype, stateDtype] of [
      ['float32', 'float32'],
      ['bfloat16', 'bfloat16'],
      ['bfloat16', 'float32'],
      ['bfloat16', 'float8_e4m3fn'],
    ] as const) {
      const { masks, steps, ...rule } = options
      const run = compile((p: NcaParams, x: Tensor) =>
        ncaRollout(p, x, { ...options, dtype, stateDtype, checkpoint: true }),
      )
      let x: Tensor = cast(x0, stateDtype)
      for (let i = 0; i < steps; i++) {
        x = ncaStep(params, x, { ...rule, dtype, stateDtype, mask: slice(masks!, [i]) })
      }
      const compiled = run(params, x0)
      expect(compiled.dtype).toBe(stateDtype)
      expect(compiled.toBits()).toEqual(x.toBits())
    }
  })
})

describe('perceive', () => {
  it.each(cases)('is the cross-correlation in float64 to the bit: $name', (one) => {
    const { x0, options } = automaton(one)
    const { dimensions, kernels, padding } = options
    const seen = perceive(x0, {
      dimensions: dimensions!,
      kernels: kernels!,
      padding: padding!,
      dtype: 'float64',
    })
    expect(seen.toBits()).toEqual(keys.u64(`${one.name}_perception0`))
  })
})

describe('gradients of mean(last state^2) in float64', () => {
  it.each(cases)("are jax's within 1e-12 of the largest: $name", (one) => {
    const { params, x0, options } = automaton(one)
    const wide = {
      w1: cast(params.w1, 'float64'),
      b1: cast(params.b1, 'float64'),
      w2: cast(params.w2, 'float64'),
      b2: cast(params.b2, 'float64'),
      x0: cast(x0, 'float64'),
    }
    const loss = ({ x0: x, ...p }: typeof wide): Tensor => mean(square(ncaRollout(p, x, options)))
    const expected = (gradients.facts['cases'] as readonly { name: string; loss: number }[]).find(
      ({ name }) => name === one.name,
    )!.loss
    expect(Math.abs((loss(wide).item() as number) / expected - 1)).toBeLessThan(1e-14)
    const found = grad(loss)(wide)
    const kept = grad(
      ({ x0: x, ...p }: typeof wide): Tensor =>
        mean(square(ncaRollout(p, x, { ...options, checkpoint: true }))),
    )(wide)
    for (const name of ['w1', 'b1', 'w2', 'b2', 'x0'] as const) {
      const want = new Float64Array(gradients.u64(`${one.name}_${name}`).slice().buffer)
      const got = found[name].toNumbers()
      const largest = want.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
      const worst = want.reduce((most, value, i) => Math.max(most, Math.abs(value - got[i]!)), 0)
      // At most 48 sums in another order, each of fewer than 1,000 terms: some ulps of the largest.
      expect(worst).toBeLessThan(1e-12 * largest)
      expect(kept[name].toBits()).toEqual(found[name].toBits())
    }
  })
})
