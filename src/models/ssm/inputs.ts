import { checkOptions, type OptionTable } from '../../base/options/index.js'
import { checkTensor, type FloatDType, isFloat, type Tensor } from '../../tensors/tensor/index.js'
import type { CumsumName, RunningSum } from './cumsums.js'

/**
 * One state-space layer, N states and P channels a head:
 *   h_t = exp(A dt_t) h_{t-1} + dt_t B_t x_t^T,  y_t = C_t h_t,  h_0 = 0.
 * Axes in front (batch, heads) are free and broadcast, A [heads] or B [batch, 1, L, N] too. All dtypes alike.
 */
export interface SsmInputs {
  /** [..., L, P] */
  readonly x: Tensor
  /** Steps, [..., L]; not negative. */
  readonly dt: Tensor
  /** Rates, [...]; not positive. */
  readonly A: Tensor
  /** [..., L, N], or [..., 1, N] where all positions share it. */
  readonly B: Tensor
  /** [..., L, N], or [..., 1, N] where all positions share it. */
  readonly C: Tensor
}

/** The dtype that a stage's results have, each rounded once to it. */
export interface StageDTypes {
  /** Running sums of the steps. Default: that of x; 'stable-keep' has float32. */
  readonly sums?: FloatDType
  /** A times sums, differences, offsets: what exp is handed. Default: that of the sums. */
  readonly exponents?: FloatDType
  /** The states h of the recurrence, and those between chunks. Default: that of x. */
  readonly states?: FloatDType
}

/** How a form computes. */
export interface SsmOptions {
  /** How running sums are added: a name of `cumsums`, or order and accumulator. Default: 'sequential'. */
  readonly cumsum?: CumsumName | RunningSum
  readonly dtypes?: StageDTypes
  /** The accumulator of matrix products. Default: float32, float64 for float64. */
  readonly accumulate?: FloatDType
  /** Positions in a chunk of the chunked form. Default: 64. */
  readonly chunk?: number
  /** What the clamped form cuts exponents at. Default: 80. */
  readonly limit?: number
}

const optionNames: OptionTable<SsmOptions> = {
  cumsum: 'optional',
  dtypes: 'optional',
  accumulate: 'optional',
  chunk: 'optional',
  limit: 'optional',
}

const stageNames: OptionTable<StageDTypes> = { sums: 'optional', exponents: 'optional', states: 'optional' }

const inputNames: OptionTable<SsmInputs> = {
  x: 'required',
  dt: 'required',
  A: 'required',
  B: 'required',
  C: 'required',
}

/** The options of a form, checked by their names. */
export function checkForm(op: string, options: SsmOptions): void {
  checkOptions(op, options, optionNames)
  checkOptions(`${op}: dtypes`, options.dtypes, stageNames)
}

/** Shapes and dtypes of a layer, checked: L positions, N states. */
export function checkInputs(
  op: string,
  inputs: SsmInputs,
  options: SsmOptions,
): { length: number; states: number } {
  checkForm(op, options)
  checkOptions(op, inputs, inputNames)
  const { x, dt, A, B, C } = inputs
  for (const [name, value] of Object.entries({ x, dt, A, B, C })) {
    checkTensor(op, value)
    if (!isFloat(value.dtype)) {
      throw new TypeError(`${op}: ${name} needs a floating-point dtype, cast first [${value.dtype}]`)
    }
    if (value.dtype !== x.dtype) {
      throw new TypeError(`${op}: dtypes differ, cast one of them [x ${x.dtype} and ${name} ${value.dtype}]`)
    }
  }
  if (x.rank < 2) throw new RangeError(`${op}: x needs the axes [L, P] [${x.shape.join(', ')}]`)
  const length = x.shape.at(-2)!
  if (length === 0) throw new RangeError(`${op}: x has no positions [${x.shape.join(', ')}]`)
  if (dt.shape.at(-1) !== length) {
    throw new RangeError(`${op}: dt has not the ${length} positions of x [${dt.shape.join(', ')}]`)
  }
  const states = B.shape.at(-1)
  for (const [name, { shape }] of Object.entries({ B, C })) {
    const along = shape.at(-2)
    if (along === undefined || (along !== length && along !== 1) || shape.at(-1) !== states) {
      throw new RangeError(
        `${op}: ${name} is not [${length} or 1, ${states ?? 'N'}] at its end [${shape.join(', ')}]`,
      )
    }
  }
  return { length, states: states! }
}

/** Throws a RangeError unless a count is a whole number from 1. */
export function checkCount(op: string, name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1) {
    throw new RangeError(`${op}: ${name} is not a whole number from 1 [${value}]`)
  }
}
