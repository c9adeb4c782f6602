import { checkName, shown } from '../../../base/options/index.js'
import type { DType } from '../../../tensors/tensor/index.js'
import { leastExponents } from './inputs.js'
import type { Unit, UnitInput, UnitOutput, UnitRule } from './unit.js'
import { type UnitName, units } from './units.js'

const unitNames = Object.keys(units)

/** A unit by its name, or as `defineUnit` made it. */
export function unitOf(op: string, unit: UnitName | Unit): Unit {
  if (typeof unit === 'object' && unit !== null) {
    if (unit.isChecked === true) return unit
    throw new TypeError(`${op}: unit is neither a name nor from defineUnit [${shown(unit)}]`)
  }
  checkName(op, 'unit', unit, unitNames)
  return units[unit]
}

/** The formats of two operands for a unit: their dtypes, or tf32 where float32 is to be read so. */
export function inputOf(op: string, dtype: DType, input: 'tf32' | undefined): UnitInput {
  if (input !== undefined) {
    checkName(op, 'input', input, ['tf32'])
    if (dtype !== 'float32') throw new TypeError(`${op}: tf32 is read from float32 [${dtype}]`)
    return input
  }
  if (dtype === 'float32') {
    throw new TypeError(`${op}: a matrix unit reads float32 as tf32, say input: 'tf32' [float32]`)
  }
  if (!(dtype in leastExponents)) {
    throw new TypeError(`${op}: a matrix unit takes no ${dtype}, cast first [${dtype}]`)
  }
  return dtype as UnitInput
}

/** How a unit adds products of two formats for an output; an error says what it has. */
export function ruleOf(op: string, unit: Unit, a: UnitInput, b: UnitInput, out: UnitOutput): UnitRule {
  checkName(op, 'out', out, ['float32', 'float16'])
  const [x, y] = [a, b].map((input) => {
    const outputs = unit.rules[input]
    if (!outputs) {
      const has = Object.keys(unit.rules).join(', ')
      throw new TypeError(`${op}: ${unit.name} takes no ${input}, it takes ${has} [${input}]`)
    }
    const rule = outputs[out]
    if (!rule) {
      const has = Object.keys(outputs).join(', ')
      throw new RangeError(`${op}: ${unit.name} has no ${out} output for ${input}, it has ${has} [${out}]`)
    }
    return rule
  }) as [UnitRule, UnitRule]
  if (a !== b && (!isEight(a) || !isEight(b) || JSON.stringify(x) !== JSON.stringify(y))) {
    throw new TypeError(`${op}: ${unit.name} multiplies no ${a} with ${b}, cast one of them [${a} and ${b}]`)
  }
  return x
}

/** Formats of 8 bits and fewer meet each other in one instruction. */
const isEight = (input: UnitInput): boolean => /^float[468]_/.test(input)
