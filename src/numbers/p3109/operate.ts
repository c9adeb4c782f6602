import { checkArray, checkName, checkOptions, noOptions, shown } from '../../base/options/index.js'
import { exactValue } from './decodeExact.js'
import { type Enclosed, exactly } from './enclosed.js'
import type { Exact } from './exact.js'
import {
  type ExactBinary,
  type ExactTernary,
  type ExactUnary,
  exactBinary,
  exactTernary,
  exactUnary,
} from './exactOperations.js'
import { checkType, type P3109Type } from './p3109Type.js'
import { projectExact } from './project.js'
import { checkedProjection, type ProjectionOptions, projectionNames } from './projection.js'
import { type RealUnary, realBinary, realUnary } from './realFunctions.js'

/** The operations of the draft that have numbers as results, under its names. */
export type P3109Operation = ExactUnary | ExactBinary | ExactTernary | RealUnary | keyof typeof realBinary

/** A value: a code and the type that it is of. */
export type P3109Value = readonly [code: number, type: P3109Type]

interface Operation {
  readonly operands: number
  readonly of: (...values: Exact[]) => Enclosed
}

const operations: Readonly<Record<string, Operation>> = Object.fromEntries([
  ...[exactUnary, exactBinary, exactTernary].flatMap((family, i) =>
    Object.entries(family).map(([name, of]): [string, Operation] => [
      name,
      { operands: i + 1, of: (...values) => exactly((of as (...all: Exact[]) => Exact)(...values)) },
    ]),
  ),
  ...[realUnary, realBinary].flatMap((family, i) =>
    Object.entries(family).map(([name, of]): [string, Operation] => [
      name,
      { operands: i + 1, of: of as Operation['of'] },
    ]),
  ),
])

/**
 * The names of the operations, 52 of them.
 *
 * @example p3109Operations.length // 52
 */
export const p3109Operations: readonly P3109Operation[] = Object.freeze(
  Object.keys(operations) as P3109Operation[],
)

/**
 * An operation of the draft on values of any types: exact, then one projection to the type of the result.
 *
 * @param operands the values, in the draft's order: ArcTan2 takes y before x
 *
 * Rounding  one, as the options say; the operation itself is computed as a real number, to as many bits as that takes.
 * Special   as the draft has them: there is one NaN, which operands outside of the domain give, x / 0 and 0 / 0 among them;
 *           no zero has a sign. The Number variants give the other operand for NaN, the Finite ones for infinities too.
 * Throws    RangeError for an unknown name, as many operands as it does not take, and options as `project`; for Sin, Cos and
 *           Tan of magnitudes from 2^129 on, which only types of 9 bits and more have.
 * Cost      1 to 10 us; transcendental ones 0.1 to 5 ms.
 * Source    IEEE P3109/D1, sections 4.9 to 4.11.
 *
 * @example const t = p3109Type(8, 4)
 * operate('Add', [[0x40, t], [0x48, t]], t) // 0x4c
 * operate('Divide', [[0x40, t], [0, t]], t) === t.nan // true
 * operate('Exp', [[0x40, t]], p3109Type(8, 3), { rounding: 'TowardPositive' }) // 0x46
 */
export function operate(
  name: P3109Operation,
  operands: readonly P3109Value[],
  result: P3109Type,
  options: ProjectionOptions = noOptions,
): number {
  checkName('operate', 'operation', name, p3109Operations)
  checkArray('operate', 'operands', operands)
  checkType('operate', result)
  checkOptions('operate', options, projectionNames, { positional: 'rounding' })
  const projection = checkedProjection('operate', options)
  const { operands: count, of } = operations[name]!
  if (operands.length !== count) {
    throw new RangeError(
      `operate: ${name} takes ${count} operand${count > 1 ? 's' : ''} [${operands.length}]`,
    )
  }
  const { low, high } = of(...operands.map((value) => valueOf('operate', value)))
  const code = projectExact(low, result, projection)
  if (low !== high && projectExact(high, result, projection) !== code) {
    throw new RangeError(
      `operate: ${name} lies too near where rounding turns [${operands.map(([x]) => x).join(', ')}]`,
    )
  }
  return code
}

/** What a value stands for. */
export function valueOf(op: string, value: P3109Value): Exact {
  if (!Array.isArray(value) || value.length !== 2) {
    throw new TypeError(`${op}: an operand is no pair of a code and its type [${shown(value)}]`)
  }
  return exactValue(op, value[0], value[1])
}
