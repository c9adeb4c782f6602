import type { KernelName, NcaParams, NcaRolloutOptions } from 'tpu-toolkit/nca'
import { type FloatDType, fromBits, type Tensor } from 'tpu-toolkit/tensor'
import { Columns } from '../support/columns.js'

/** A case of the keys: an automaton, its start, and which cells change. */
export interface Case {
  readonly name: string
  readonly shape: readonly number[]
  readonly channels: number
  readonly hidden: number
  readonly steps: number
  readonly kernels: readonly KernelName[]
  readonly padding: 'zero' | 'wrap'
  readonly aliveChannel: number | null
  readonly aliveThreshold: number
}

export const keys: Columns = new Columns('nca/nca')
export const cases: readonly Case[] = keys.facts['cases'] as readonly Case[]

/** The short names of the keys' columns. */
export const dtypes: Readonly<Record<string, FloatDType>> = {
  f64: 'float64',
  f32: 'float32',
  bf16: 'bfloat16',
  f16: 'float16',
  e4m3fn: 'float8_e4m3fn',
  e5m2: 'float8_e5m2',
}

/** Parameters and start of a case, bfloat16, and the options of its rollout. */
export function automaton(one: Case): {
  readonly params: NcaParams
  readonly x0: Tensor
  readonly options: NcaRolloutOptions
} {
  const { name, shape, channels, hidden, steps, kernels, padding, aliveChannel, aliveThreshold } = one
  const bfloat16 = (part: string, sizes: readonly number[]): Tensor =>
    fromBits(keys.u16(`${name}_${part}`), { shape: [...sizes], dtype: 'bfloat16' })
  const masks = fromBits(keys.u8(`${name}_masks`), { shape: [steps, ...shape], dtype: 'bool' })
  return {
    params: {
      w1: bfloat16('w1', [kernels.length * channels, hidden]),
      b1: bfloat16('b1', [hidden]),
      w2: bfloat16('w2', [hidden, channels]),
      b2: bfloat16('b2', [channels]),
    },
    x0: bfloat16('x0', [...shape, channels]),
    options: {
      dimensions: shape.length === 1 ? 1 : 2,
      ...{ kernels, padding, steps, masks },
      ...(aliveChannel !== null && { alive: { channel: aliveChannel, threshold: aliveThreshold } }),
    },
  }
}
