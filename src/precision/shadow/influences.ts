import { exceptionRule } from '../../tensors/autodiff/index.js'
import { dtypeFacts, isFloat } from '../../tensors/tensor/index.js'
import { type Operand, recorded } from '../program/program.js'
import { bitsApart } from '../reals/bitsOfError.js'
import { numbers } from './elementErrors.js'
import type { LocalError } from './localErrors.js'
import type { ShadowRun } from './shadowRun.js'

/** From this many bits on, an error counts: Herbgrind's default. */
const threshold = 5

/**
 * The ill-conditioned operations that reach an output which is wrong: steps whose local error is 5 bits or more. A sum or
 * difference with an operand that is 0 in the reference passes on the influences of the other operand only, if its result
 * is off by no more than that one: this is what the correction terms of a compensated sum are.
 *
 * Source    Herbgrind, as `localErrors`; the rule for compensation is its own.
 */
export function culpritsOf<W>(run: ShadowRun<W>, local: readonly LocalError[]): number[] {
  const { program } = run
  const n = program.inputs.length
  const candidates = new Set(local.filter(({ bits }) => bits.max >= threshold).map(({ step }) => step))
  const reach: ReadonlySet<number>[] = []
  const none: ReadonlySet<number> = new Set()
  const reaching = (operand: Operand): ReadonlySet<number> =>
    typeof operand === 'number' && operand >= n ? reach[operand - n]! : none
  for (const [i, step] of program.steps.entries()) {
    const passing = step.operands.filter((_, k) => !isCompensation(run, i, k))
    const own = new Set(passing.flatMap((operand) => [...reaching(operand)]))
    if (candidates.has(i)) own.add(i)
    reach.push(own)
  }
  const found = new Set<number>()
  for (const output of program.outputs) {
    const { dtype, size } = recorded(program, output)
    if (!isFloat(dtype)) continue
    const [got, exact] = [numbers(run.computed(output)), numbers(run.reference.valueOf(output))]
    const grid = dtypeFacts(dtype)
    const wrong = Array.from({ length: size }).some(
      (_, k) => bitsApart(got[k]!, exact[k]!, grid) >= threshold,
    )
    if (wrong) for (const step of reaching(output)) found.add(step)
  }
  return [...found].sort((a, b) => a - b)
}

/** Below this share of the other operand a reference of zero is that of a run which rounds a little itself. */
const nothing = 2 ** -40

/** Whether operand k of a sum is a correction: zero in the reference, and the result no worse than the other operand. */
function isCompensation<W>(run: ShadowRun<W>, i: number, k: number): boolean {
  const { op, operands } = run.program.steps[i]!
  if (exceptionRule(op).adds === undefined) return false
  const other = operands[1 - k]!
  if (
    largest(numbers(run.reference.valueOf(operands[k]!))) >
    nothing * largest(numbers(run.reference.valueOf(other)))
  ) {
    return false
  }
  return errorOf(run, run.program.inputs.length + i) <= errorOf(run, other)
}

function largest(list: Float64Array): number {
  return list.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
}

/** The largest absolute error of a value. */
function errorOf<W>(run: ShadowRun<W>, operand: Operand): number {
  const exact = numbers(run.reference.valueOf(operand))
  return largest(numbers(run.computed(operand)).map((value, i) => value - exact[i]!))
}
