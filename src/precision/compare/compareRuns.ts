import { checkFunction, checkOptions, type OptionTable } from '../../base/options/index.js'
import { Tensor } from '../../tensors/tensor/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import { isConstant } from '../program/constantOf.js'
import {
  type Operand,
  type Program,
  programOf,
  recorded,
  type Step,
  type TensorFunction,
} from '../program/program.js'
import { stepNames } from '../program/stepName.js'
import { sameBits } from '../replay/replay.js'
import { alignSteps } from './alignSteps.js'
import { stepBound } from './stepBound.js'

/** How two results of one operation differ. */
export type DifferenceKind = 'order or rounding' | 'another computation'

/** An operation whose results differ between two runs. */
export interface RunDifference {
  readonly kind: DifferenceKind
  /** What is different: the numbers, an operand, an option, or that one run has no such operation. */
  readonly what: string
  /** The operation in each run: its name (`mul#3`) and source line; undefined where a run does not have it. */
  readonly a: { readonly name: string; readonly site: string | undefined } | undefined
  readonly b: { readonly name: string; readonly site: string | undefined } | undefined
  /** The element that differs most against its bound, in flat order; undefined where it is no matter of numbers. */
  readonly element: number | undefined
  /** The exact result of the second run's own operands, what the second run has, and how far a correct one may be. */
  readonly expected: number | undefined
  readonly actual: number | undefined
  readonly bound: number | undefined
}

/** What `compareRuns` finds. */
export interface RunComparison {
  /** 'equal' where all results have the same bits. */
  readonly verdict: 'equal' | DifferenceKind
  /** The first operation that computes something else; of two runs that do not, the first whose results differ. */
  readonly first: RunDifference | undefined
  /** All operations whose results differ given the operands that they had, in the order of the second run. */
  readonly differences: readonly RunDifference[]
  /** How many operations were compared. */
  readonly compared: number
  /** The findings as lines, the verdict first. */
  toString(): string
}

/** How runs are compared. */
export interface CompareOptions {
  /** Keep the source line of every operation. Default true. */
  readonly sites?: boolean
}

const names: OptionTable<CompareOptions> = { sites: 'optional' }

/**
 * Compares two programs on the same inputs, operation by operation, and reports the first that computes something else. Every operation of the
 * second run is judged on the operands that it had there: what it may give is the exact result within an error that any order of a sum, any
 * accumulation in its dtype and an ulp of an elementwise function make. A difference within is 'order or rounding', beyond it 'another
 * computation'. So an error that was made earlier does not show again in what was computed from it.
 *
 * Throws    RangeError where the programs differ in too many operations to be aligned; as `shadow` for inputs that are not finite.
 * Cost      both runs, one in float64, and a table of the operations that differ.
 *
 * @example compareRuns((x) => sum(x), (x) => sum(x, { order: 'pairwise' }), tensor([1, 4e-8, 4e-8, 4e-8])).verdict // 'order or rounding'
 * const rms = (eps) => (x) => div(x, sqrt(add(mean(square(x)), eps)))
 * compareRuns(rms(1e-5), rms(1e-3), tensor([0.01, 0.02])).first.a.name // 'constant'
 */
export function compareRuns<T extends Treelike>(
  f: TensorFunction<T>,
  g: TensorFunction<T>,
  inputs: T,
  options: CompareOptions = {},
): RunComparison {
  checkFunction('compareRuns', 'f', f)
  checkFunction('compareRuns', 'g', g)
  checkOptions('compareRuns', options, names)
  const { sites = true } = options
  const a = programOf('compareRuns', f, inputs, { sites })
  const b = programOf('compareRuns', g, inputs, { sites })
  const [namesA, namesB] = [stepNames(a, 'operation'), stepNames(b, 'operation')]
  const pairs = alignSteps(a.steps, b.steps)
  const inA = new Map(pairs.map(([i, j]) => [j, i]))
  const matched = new Set(pairs.map(([i]) => i))
  const start = a.inputs.length
  const labelled = (program: Program, list: readonly string[], i: number): RunDifference['a'] => ({
    name: isConstant(program.steps[i]!) ? 'constant' : list[i]!,
    site: program.steps[i]!.site,
  })
  const differences: RunDifference[] = []
  const another = (what: string, i: number | undefined, j: number | undefined): void => {
    differences.push({
      kind: 'another computation',
      what,
      a: i === undefined ? undefined : labelled(a, namesA, i),
      b: j === undefined ? undefined : labelled(b, namesB, j),
      ...{ element: undefined, expected: undefined, actual: undefined, bound: undefined },
    })
  }

  let next = 0
  const onlyInFirst = (end: number): void => {
    for (; next < end; next++) if (!matched.has(next)) another('only the first run has it', next, undefined)
  }
  for (const [j, step] of b.steps.entries()) {
    const i = inA.get(j)
    if (i === undefined) {
      another('only the second run has it', undefined, j)
      continue
    }
    onlyInFirst(i)
    next = i + 1
    const other = a.steps[i]!
    const operand = operandsDiffer(other.operands, step.operands, start, inA)
    if (operand !== undefined) {
      another(`operand ${operand} is another value`, i, j)
      continue
    }
    const found = judged(other, step, operandsOf(other, step, b))
    if (found) differences.push({ a: labelled(a, namesA, i), b: labelled(b, namesB, j), ...found })
  }
  onlyInFirst(a.steps.length)
  const first = differences.find(({ kind }) => kind === 'another computation') ?? differences[0]
  const verdict = first?.kind ?? 'equal'
  return {
    verdict,
    first,
    differences,
    compared: pairs.length,
    toString: () => textOf(verdict, first, differences, pairs.length),
  }
}

/** The first operand that is another value of the program in each run; constants are compared by what comes of them. */
function operandsDiffer(
  a: readonly Operand[],
  b: readonly Operand[],
  start: number,
  inA: ReadonlyMap<number, number>,
): number | undefined {
  if (a.length !== b.length) return Math.min(a.length, b.length)
  const found = b.findIndex((operand, k) => {
    const other = a[k]!
    if (typeof operand !== 'number' || typeof other !== 'number') return typeof operand !== typeof other
    return operand < start ? operand !== other : inA.get(operand - start) !== other - start
  })
  return found < 0 ? undefined : found
}

/** What the first run's operation is judged on: the second run's values, and its own constants. */
function operandsOf(own: Step, step: Step, b: Program): Tensor[] {
  return step.operands.map((operand, k) => {
    const other = own.operands[k]!
    return other instanceof Tensor ? other : recorded(b, operand)
  })
}

type Judged = Omit<RunDifference, 'a' | 'b'>

/** Whether a result is what the first run's operation gives of these operands; undefined where it has the same bits. */
function judged(own: Step, step: Step, operands: readonly Tensor[]): Judged | undefined {
  if (isConstant(own)) {
    return sameBits(own.output, step.output)
      ? undefined
      : worst(own.output, step.output, 'the constant is another one')
  }
  const again = own.op.kernel(operands, own.attributes)
  if (sameBits(again, step.output)) return undefined
  const bound = stepBound(own, operands)
  if (!bound) return worst(again, step.output, 'the result is not that of its operands')
  const [actual, repeated] = [step.output.toNumbers(), again.toNumbers()]
  let [element, most] = [-1, -1]
  for (const [k, expected] of bound.exact.entries()) {
    const apart = distance(actual[k]!, expected, repeated[k]!)
    const ratio = apart === 0 ? 0 : apart / bound.bounds[k]!
    if (ratio > most || Number.isNaN(ratio)) [element, most] = [k, Number.isNaN(ratio) ? Infinity : ratio]
  }
  const inside = most <= 1
  return {
    kind: inside ? 'order or rounding' : 'another computation',
    what: inside ? 'sums in another order, or rounded elsewhere' : 'the result is not that of its operands',
    element,
    expected: bound.exact[element]!,
    actual: actual[element]!,
    bound: bound.bounds[element]!,
  }
}

/** |actual - exact|; 0 where both are the same NaN or infinity, or where the dtype overflows as the first run's does. */
function distance(actual: number, exact: number, own: number): number {
  if (Object.is(actual, exact) || Object.is(actual, own)) return 0
  return Math.abs(actual - exact)
}

/** A difference in what has one right result only: its first element that differs. */
function worst(expected: Tensor, actual: Tensor, what: string): Judged {
  const [x, y] = [expected.toNumbers(), actual.toNumbers()]
  const element = x.findIndex((value, k) => !Object.is(value, y[k]))
  return { kind: 'another computation', what, element, expected: x[element], actual: y[element], bound: 0 }
}

function textOf(
  verdict: RunComparison['verdict'],
  first: RunDifference | undefined,
  differences: readonly RunDifference[],
  compared: number,
): string {
  const lines = [
    `${verdict}: ${compared} operations compared, ${differences.length} differ given their own operands`,
  ]
  if (!first) return lines[0]!
  const { a, b, what, expected, actual, bound, element } = first
  const place = [a, b].map((one) => one && [one.name, one.site].filter(Boolean).join(' at '))
  const where =
    place[0] === place[1] ? place[0] : `${place[0] ?? 'nothing'}, in the second run ${place[1] ?? 'nothing'}`
  lines.push(`first: ${where}: ${what}`)
  if (expected !== undefined) {
    lines.push(`  element ${element}: ${actual}, where ${expected} is right to within ${bound}`)
  }
  return lines.join('\n')
}
