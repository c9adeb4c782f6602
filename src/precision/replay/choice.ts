import { checkName, checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import { bits, foldIn, type Key } from '../../tensors/random/index.js'
import {
  cast,
  checkFloatDType,
  dtypeFacts,
  type FloatDType,
  isFloat,
  type Tensor,
} from '../../tensors/tensor/index.js'
import type { Step } from '../program/program.js'

/** How an operation runs where its dtype alone does not say it. */
export interface Choice {
  /** What its result is rounded to. */
  readonly dtype: FloatDType
  /** What sums, running ones and matrix products add up in. Default: as the code says, or `dtype` where that is wider. */
  readonly accumulate?: FloatDType
  /** To nearest, or up with the probability of the distance: formats of at most 16 bits. Default 'nearest'. */
  readonly rounding?: 'nearest' | 'stochastic'
  /** The randomness of 'stochastic', which needs it; the number of the step is folded in. */
  readonly key?: Key
  /** Overflow gives the largest number instead of infinity or NaN. Default false. */
  readonly saturate?: boolean
}

const choiceNames: OptionTable<Choice> = {
  dtype: 'required',
  accumulate: 'optional',
  rounding: 'optional',
  key: 'optional',
  saturate: 'optional',
}

/** Throws unless an operation can run that way. */
export function checkChoice(op: string, choice: Choice): void {
  checkOptions(op, choice, choiceNames)
  const { dtype, accumulate = 'float32', rounding = 'nearest', key, saturate = false } = choice
  for (const given of [dtype, accumulate]) {
    if (!isFloat(given)) throw new TypeError(`${op}: needs a floating-point dtype [${shown(given)}]`)
    checkFloatDType(op, 'dtype', given)
  }
  checkName(op, 'rounding', rounding, ['nearest', 'stochastic'])
  if ((rounding === 'stochastic' || saturate) && dtypeFacts(dtype).bits > 16) {
    throw new RangeError(
      `${op}: stochastic and saturating rounding are for formats of at most 16 bits [${dtype}]`,
    )
  }
  if (rounding === 'stochastic' && !key?.data) {
    throw new TypeError(`${op}: stochastic rounding needs a key of random [${shown(key)}]`)
  }
}

/** A choice in few words: `float8_e4m3fn`, `bfloat16, adds in float32`, `bfloat16 stochastic`. */
export function choiceText({ dtype, accumulate, rounding = 'nearest', saturate = false }: Choice): string {
  const how = `${rounding === 'stochastic' ? ' stochastic' : ''}${saturate ? ' saturating' : ''}`
  return `${dtype}${how}${accumulate ? `, adds in ${accumulate}` : ''}`
}

/** What a step that adds adds up in by a choice. */
export function accumulatorOf(
  { attributes, output }: Pick<Step, 'attributes' | 'output'>,
  choice: Choice,
): FloatDType {
  if (choice.accumulate) return choice.accumulate
  const { accumulate, how } = (attributes ?? {}) as {
    readonly accumulate?: FloatDType
    readonly how?: { readonly accumulate?: FloatDType }
  }
  const own = accumulate ?? how?.accumulate ?? (output.dtype as FloatDType)
  return dtypeFacts(choice.dtype).precision > dtypeFacts(own).precision ? choice.dtype : own
}

/** Rounds an exact result of one step as a choice says. */
export function roundedBy(
  x: Tensor,
  { dtype, rounding = 'nearest', key, saturate = false }: Choice,
  step: number,
): Tensor {
  if (rounding === 'nearest') return saturate ? cast(x, dtype, { saturate }) : cast(x, dtype)
  const words = bits(foldIn(key!, step), x.size)
  let drawn = 0
  return cast(x, dtype, { rounding: 'stochastic', saturate, random: () => words[drawn++]! })
}
