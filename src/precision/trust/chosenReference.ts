import {
  cast,
  dtypeFacts,
  type FloatDType,
  formOf,
  isFloat,
  type Op,
  opName,
  type Tensor,
} from '../../tensors/tensor/index.js'
import { type RunningBounds, runningBounds } from '../certify/runningBounds.js'
import { kindOf } from '../program/opKind.js'
import { type Operand, type Program, recorded, type Step } from '../program/program.js'
import { spacing } from '../program/spacing.js'
import { hasRealRule, type RealRule, realArithmetic } from '../reals/realArithmetic.js'
import { accumulatingIn, dtypeArithmetic } from '../replay/dtypeArithmetic.js'
import { type ReferenceRun, referenceRun } from '../replay/reference.js'
import type { WideArithmetic } from '../replay/wideArithmetic.js'

/** Where float64 cannot vouch for what it says an output should have been. */
export interface Doubt {
  /** Which output: its path in the tree that the function returned, '' for a tensor alone. */
  readonly output: string
  /** The element that float64 may be off most in, row-major. */
  readonly element: number
  /** By how many bits of the output's dtype it may be off there; Infinity where nothing is known. */
  readonly bits: number
  /** Seconds that real numbers take, roughly. */
  readonly seconds: number
  /** Whether real numbers are outside the bound that `certify` gives, and so are wrong there. Default false. */
  readonly contradicted?: boolean
  /** Operations without a rule on real numbers, one's own: they run in float64, whatever the reference is. */
  readonly withoutRule: readonly string[]
}

/** What runs beside a program, and why not float64, or why it should not. */
export interface ChosenReference {
  readonly reference: FloatDType | 'real'
  readonly arithmetic: WideArithmetic<unknown>
  readonly run: ReferenceRun<unknown>
  readonly doubt: Doubt | undefined
  /** The run in float64, where 'auto' came to stay with it. */
  readonly inFloat64?: ReferenceRun<Tensor>
}

/** Steps of the output's dtype by which float64 may be off: a thousandth of a bit. */
const negligible = 2 ** -10

/** What real numbers may take, roughly, where nobody asked for them. */
const patience = 1.5

/**
 * What is asked for, or by 'auto' float64, or real numbers where a running bound of float64's own error says that it may be
 * off by a thousandth of a bit of an output or more, and real numbers take no more than a second or two. Behind an operation
 * of one's own that has no rule nothing is known, so that real numbers are asked too: for all but that operation, which the
 * doubt names.
 */
export function chosenReference(
  program: Program,
  asked: FloatDType | 'real' | 'auto',
  rules: ReadonlyMap<Op, RealRule> | undefined,
): ChosenReference {
  if (asked === 'real') return besideReals(program, rules)
  if (asked !== 'auto') return beside(program, asked, dtypeArithmetic(asked))
  const arithmetic = dtypeArithmetic('float64')
  const run = referenceRun(program, arithmetic)
  const found = doubtOf(program, run)
  const doubt = found && { ...found, seconds: secondsOf(program), withoutRule: withoutRule(program, rules) }
  return doubt && doubt.seconds <= patience
    ? besideReals(program, rules, doubt)
    : { ...beside(program, 'float64', arithmetic, doubt, run), inFloat64: run }
}

function beside<W>(
  program: Program,
  reference: FloatDType | 'real',
  arithmetic: WideArithmetic<W>,
  doubt?: Doubt,
  run: ReferenceRun<W> = referenceRun(program, arithmetic),
): ChosenReference {
  // Whose values these are is nobody's business from here on: they are handed back to their own arithmetic only.
  return { reference, arithmetic, run, doubt } as ChosenReference
}

/** Real numbers; with a doubt where they are outside a bound of the run's own error, so that they are wrong themselves. */
function besideReals(
  program: Program,
  rules: ReadonlyMap<Op, RealRule> | undefined,
  doubt?: Doubt,
): ChosenReference {
  const arithmetic = realArithmetic(rules)
  const run = referenceRun(program, arithmetic)
  // Made where a value differs at all: an equal one is within every bound.
  let bounded: RunningBounds | undefined
  for (const [k, output] of program.outputs.entries()) {
    if (typeof output !== 'number' || !isFloat(recorded(program, output).dtype)) continue
    const exact = arithmetic.toFloat64(run.valueOf(output)).toNumbers()
    const computed = cast(recorded(program, output), 'float64').toNumbers()
    if (exact.every((x, i) => x === computed[i])) continue
    bounded ??= runningBounds(program, {})
    const { values, bounds } = bounded.boundedOf(output)
    const element = exact.findIndex((x, i) => outside(x, values[i]!, bounds[i]!))
    if (element < 0) continue
    const found = { output: program.names[k]!, element, bits: Infinity, seconds: secondsOf(program) }
    const wrong = { ...found, withoutRule: withoutRule(program, rules), contradicted: true }
    return beside(program, 'real', arithmetic, wrong, run)
  }
  return beside(program, 'real', arithmetic, doubt, run)
}

/** Whether a reference, rounded to float64, cannot be the exact value that a bound is about. */
function outside(exact: number, computed: number, bound: number): boolean {
  if (!(bound < Infinity) || !Number.isFinite(computed)) return false
  return !(Math.abs(exact - computed) <= bound + 2 ** -52 * Math.abs(exact) + 2 ** -1074)
}

/** Whether real numbers are cheap enough to be run unasked. */
export function affordsReals(program: Program): boolean {
  return secondsOf(program) <= patience
}

/** Names of the operations that no rule says anything of, each once. */
function withoutRule(program: Program, rules: ReadonlyMap<Op, RealRule> | undefined): string[] {
  return [...new Set(program.steps.filter((step) => !hasRealRule(step, rules)).map(({ op }) => op.name))]
}

function doubtOf(
  program: Program,
  run: ReferenceRun<Tensor>,
): Omit<Doubt, 'seconds' | 'withoutRule'> | undefined {
  const { boundedOf } = runningBounds(inFloat64(program, run), { decided: true })
  let most: Omit<Doubt, 'seconds' | 'withoutRule'> | undefined
  for (const [k, output] of program.outputs.entries()) {
    const { dtype } = recorded(program, output)
    if (!isFloat(dtype) || typeof output !== 'number') continue
    const grid = dtypeFacts(dtype)
    const { values, bounds } = boundedOf(output)
    for (const [element, bound] of bounds.entries()) {
      if (!(bound > spacing(values[element]!, grid) * negligible)) continue
      const bits = Math.log2(1 + bound / spacing(values[element]!, grid))
      if (!most || bits > most.bits) most = { output: program.names[k]!, element, bits }
    }
  }
  return most
}

/** The program as float64 ran it. */
function inFloat64(program: Program, { valueOf }: ReferenceRun<Tensor>): Program {
  const n = program.inputs.length
  return {
    ...program,
    inputs: program.inputs.map((_, i) => valueOf(i)),
    steps: program.steps.map((step, i): Step => {
      const { op, operands, attributes, site } = step
      const wide = operands.map((x): Operand => (typeof x === 'number' ? x : valueOf(x)))
      const output = valueOf(n + i)
      return { op, operands: wide, attributes: accumulatingIn(attributes, 'float64'), output, site }
    }),
  }
}

/** Microseconds that an element of a real number takes: of + and its like, and of exp and its like. */
const microseconds = { simple: 2, function: 120 }
const simple: ReadonlySet<string | undefined> = new Set<string>([
  ...['add', 'sub', 'mul', 'div', 'sqrt', 'rsqrt', 'reciprocal', 'square', 'abs', 'neg', 'relu'],
  ...['maximum', 'minimum', 'where', 'cast'],
])

function secondsOf(program: Program): number {
  let total = 0
  for (const step of program.steps) {
    const { op, output } = step
    const form = formOf(op)
    if (kindOf(op) === 'moves' || step.operands.length === 0) continue
    if (form === 'elementwise') {
      total += output.size * (simple.has(opName(op)) ? microseconds.simple : microseconds.function)
    } else {
      total += placesOf(program, step) * microseconds.simple
    }
  }
  return total / 1e6
}

/** How many elements of its first operand an operation reads, all results together. */
function placesOf(program: Program, { op, operands, output }: Step): number {
  if (formOf(op) === 'whole') return output.size
  const { size, shape } = recorded(program, operands[0]!)
  if (formOf(op) !== 'dot') return size
  return output.size * (shape.at(-1) ?? 1)
}
