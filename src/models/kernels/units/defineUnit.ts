import {
  checkInteger,
  checkName,
  checkOptions,
  checkRecord,
  checkText,
  type OptionTable,
} from '../../../base/options/index.js'
import { leastExponents } from './inputs.js'
import type { Unit, UnitInput, UnitOutput, UnitRecord, UnitRule } from './unit.js'

const names: OptionTable<UnitRecord & Partial<Unit>> = {
  ...{ name: 'required', chips: 'required', basis: 'required', source: 'required', rules: 'required' },
  // A record may be another unit with some facts changed.
  isChecked: 'optional',
}
const ruleNames: OptionTable<UnitRule> = {
  ...{ k: 'required', group: 'required', align: 'required', result: 'required', rounding: 'required' },
  ...{ adder: 'optional', order: 'optional', accumulator: 'optional', scaled: 'optional', basis: 'optional' },
}
const bases = ['measured', 'described'] as const
const adders = ['aligned', 'floored', 'floored halves', 'pairwise', 'scaled'] as const

/**
 * A matrix unit of your own, from its facts: `unitDot`, `gemm` and the rest take it where they take a name.
 *
 * Throws    RangeError for facts that contradict each other: groups that do not fill an instruction, more bits than a sum holds.
 *
 * @example const half = defineUnit({ name: 'half', chips: 'none', basis: 'described', source: 'an example', rules: { float16: { float32: { k: 4, group: 2, align: 10, result: 'float32', rounding: 'cut' } } } })
 * unitDot(tensor([[1, 2 ** -11]], { dtype: 'float16' }), tensor([[1, 1]], { dtype: 'float16' }), { unit: half }).toNested() // [1]
 */
export function defineUnit(record: UnitRecord): Unit {
  checkOptions('defineUnit', record, names)
  for (const field of ['name', 'chips', 'source'] as const) checkText('defineUnit', field, record[field])
  checkName('defineUnit', 'basis', record.basis, bases)
  checkRecord('defineUnit', 'rules', record.rules)
  for (const [input, outputs] of Object.entries(record.rules)) {
    checkName('defineUnit', 'input', input, Object.keys(leastExponents) as UnitInput[])
    checkRecord('defineUnit', input, outputs)
    for (const [output, rule] of Object.entries(outputs)) {
      checkName('defineUnit', 'output', output, ['float32', 'float16'])
      checkRule(rule, output as UnitOutput)
    }
  }
  return { ...record, isChecked: true }
}

function checkRule(rule: UnitRule, output: UnitOutput): void {
  checkOptions('defineUnit', rule, ruleNames)
  const { k, group, align, result, adder = 'aligned', order = 'ascending', accumulator = 'term' } = rule
  checkInteger('defineUnit', 'k', k, 1)
  checkInteger('defineUnit', 'group', group, 1, 1024)
  // Sums of so many terms of so many bits are exact in float64.
  checkInteger('defineUnit', 'align', align, 0, 38)
  checkName('defineUnit', 'result', result, ['float32', 'e8m13', 'float16'])
  checkName('defineUnit', 'rounding', rule.rounding, ['cut', 'nearest'])
  checkName('defineUnit', 'adder', adder, adders)
  checkName('defineUnit', 'order', order, ['ascending', 'by bit 1'])
  checkName('defineUnit', 'accumulator', accumulator, ['term', 'added after'])
  if (rule.basis !== undefined) checkName('defineUnit', 'basis', rule.basis, bases)
  if (rule.scaled !== undefined) checkInteger('defineUnit', 'scaled', rule.scaled, 1)
  if (k % group !== 0) throw new RangeError(`defineUnit: k is no multiple of group [${k}, ${group}]`)
  if ((result === 'float16') !== (output === 'float16')) {
    throw new RangeError(`defineUnit: result does not fit the output [${result}, ${output}]`)
  }
  if (order === 'by bit 1' && (k !== 2 * group || k % 4 !== 0)) {
    throw new RangeError(`defineUnit: order 'by bit 1' has two groups, k a multiple of 4 [${k}, ${group}]`)
  }
  if (adder === 'floored halves' && group % 2 !== 0) {
    throw new RangeError(`defineUnit: halves of a group that is odd [${group}]`)
  }
  if (adder === 'scaled' && (rule.scaled === undefined || group % rule.scaled !== 0)) {
    throw new RangeError(`defineUnit: group is no multiple of scaled [${group}, ${rule.scaled}]`)
  }
}
