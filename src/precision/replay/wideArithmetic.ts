import type { FloatDType, Tensor } from '../../tensors/tensor/index.js'
import type { Step } from '../program/program.js'
import type { Choice } from './choice.js'

/** How an operation is run in a replay: rounding to its own dtype, to another one, not at all, or as a choice says. */
export type Policy = 'own' | 'exact' | FloatDType | Choice

/** What an operation computes: a tensor of the step's own dtype, or something wider. */
export type Value<W> = Tensor | Wide<W>

/** A value that the step's own dtype could not hold. */
export interface Wide<W> {
  readonly wide: W
}

/** How values wider than their dtype are kept and computed with. */
export interface WideArithmetic<W> {
  /** The values of a tensor, exactly. */
  readonly widen: (x: Tensor) => W
  /** The operation without rounding, as far as this arithmetic can tell. */
  readonly run: (step: Step, args: readonly W[]) => W
  /** Rounds once. */
  readonly narrow: (x: W, dtype: FloatDType) => Tensor
  /** A float64 tensor that rounds as the value does. */
  readonly toFloat64: (x: W) => Tensor<'float64'>
}

/** Whether a value is a wider one. */
export function isWide<W>(value: Value<W>): value is Wide<W> {
  return 'wide' in value
}
