import { dtypeFacts, type FloatDType } from '../../../tensors/tensor/index.js'
import { inputOf, ruleOf, unitOf } from '../units/ruleOf.js'
import type { Unit, UnitOutput } from '../units/unit.js'
import { checkPromote } from '../units/unitDot.js'
import type { UnitWay } from '../units/unitProduct.js'
import { type UnitName, units } from '../units/units.js'
import type { Gemm } from './gemmOp.js'
import { type GemmPrecision, precisionFacts } from './precisions.js'

/** The options of a product on a matrix unit, and those that it excludes. */
interface UnitOptions {
  readonly unit?: UnitName | Unit
  readonly out?: UnitOutput
  readonly input?: 'tf32'
  readonly promote?: number
  readonly precision?: unknown
  readonly split?: unknown
  readonly blockK?: unknown
  readonly between?: unknown
}

/** The rule by which the unit that is named multiplies operands of these dtypes; undefined where none is. */
export function wayOf(op: string, options: UnitOptions, a: FloatDType, b: FloatDType): UnitWay | undefined {
  const { unit, out = 'float32', input, promote } = options
  if (unit === undefined) {
    for (const name of ['out', 'input', 'promote'] as const) {
      if (options[name] !== undefined) {
        throw new RangeError(`${op}: ${name} is of a unit, name one [${options[name]}]`)
      }
    }
    return undefined
  }
  const found = unitOf(op, unit)
  const inputs = [inputOf(op, a, input), inputOf(op, b, input)] as const
  const rule = ruleOf(op, found, ...inputs, out)
  if (rule.scaled !== undefined) {
    throw new RangeError(`${op}: ${found.name} needs scales, which unitDot takes [${found.name}]`)
  }
  checkPromote(op, promote, rule)
  for (const name of ['precision', 'split', 'blockK', 'between'] as const) {
    if (options[name] !== undefined) {
      throw new RangeError(`${op}: unit and ${name} exclude each other [${options[name]}]`)
    }
  }
  return { rule, inputs, promote }
}

/** XLA's fast accumulation of 8-bit products is what Hopper's unit does. */
export function fastWay(precision: GemmPrecision, own: FloatDType): UnitWay | undefined {
  if (precisionFacts[precision]?.sums !== 'h100' || dtypeFacts(own).bits > 8) return undefined
  const input = inputOf('gemm', own, undefined)
  return { rule: ruleOf('gemm', units.h100, input, input, 'float32'), inputs: [input, input] }
}

/** The options of a product that a unit forms of float32 numbers, which its formats hold. */
export function onUnit(way: UnitWay): Gemm {
  return {
    precision: 'default',
    split: 'truncate',
    blockK: undefined,
    between: 'float32',
    dtype: undefined,
    way,
  }
}
