import { checkFunction, checkOptions, type OptionTable } from '../../base/options/index.js'
import { checkFloatDType, dtypeFacts, type FloatDType, isFloat, type Op } from '../../tensors/tensor/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import { checkIgnore } from '../program/isIgnored.js'
import { kindOf } from '../program/opKind.js'
import {
  type Operand,
  type Program,
  programOf,
  recorded,
  type Step,
  type TensorFunction,
} from '../program/program.js'
import { bitsBetween } from '../reals/bitsBetween.js'
import type { RealRule } from '../reals/realArithmetic.js'
import { checkDeterministic } from '../replay/checkRun.js'
import { type Branch, findBranch } from '../replay/findBranch.js'
import { referenceRun } from '../replay/reference.js'
import type { WideArithmetic } from '../replay/wideArithmetic.js'
import { affordsReals, type ChosenReference, chosenReference, type Doubt } from '../trust/chosenReference.js'
import {
  type Contribution,
  type ContributionOptions,
  contributionNames,
  contributionsOf,
} from './contributions.js'
import { type Divergence, divergencesOf, taintedElements } from './divergence.js'
import { type ElementErrors, elementErrors, numbers } from './elementErrors.js'
import { type ErrorGroup, errorGroupsOf } from './errorGroups.js'
import type { PrecisionEvent } from './event.js'
import { eventsOf } from './eventsOf.js'
import { type Fault, type FaultOptions, faultsOf } from './faults.js'
import { culpritsOf } from './influences.js'
import { type LocalError, localErrorsOf } from './localErrors.js'
import type { ShadowRun } from './shadowRun.js'
import { shadowText } from './shadowText.js'
import { type ErrorSummary, summarize } from './summarize.js'
import { withoutLines } from './withoutLines.js'

/** How a computation is shadowed. */
export interface ShadowOptions {
  /**
   * The arithmetic of the reference. 'float64' or another dtype: the operations' own kernels in it. 'real': numbers of up to 4400 bits and any
   * exponent, a hundred times slower, for results that float64 loses itself. Default 'auto': float64, and real numbers where
   * a running bound of float64's own error does not vouch for it (unless they would take more than a second or two; `doubt`
   * says so then).
   */
  readonly reference?: FloatDType | 'real' | 'auto'
  /** Run `f` twice more, to see whether it is deterministic and whether it branches on values. Default true. */
  readonly check?: boolean
  /** Keep the source line that called each operation, some 10 microseconds each. Default: as `check`, whose second run does it. */
  readonly sites?: boolean
  /** Unrounded forms of elementwise custom operations, for 'real'; without one they are evaluated in float64. */
  readonly rules?: ReadonlyMap<Op, RealRule>
}

/** What a report leaves out. */
export interface ReportOptions {
  /** Source lines: `model.ts:12`, or a file. Default none. */
  readonly ignore?: readonly string[]
}

const reportNames: OptionTable<ReportOptions> = { ignore: 'optional' }

export const shadowNames: OptionTable<ShadowOptions> = {
  reference: 'optional',
  check: 'optional',
  sites: 'optional',
  rules: 'optional',
}

/** The errors of one operation's result. */
export interface OperationError {
  /** Number of the step. */
  readonly step: number
  readonly op: string
  /** Where in the source it was called. */
  readonly site: string | undefined
  readonly dtype: FloatDType
  readonly shape: readonly number[]
  /** Bits between what was computed and the reference. */
  readonly total: ErrorSummary
  /** Bits that its own rounding added: computed against the exact result on the operands it got. */
  readonly introduced: ErrorSummary
  /** Bits that came in with the operands: that exact result against the reference. */
  readonly inherited: ErrorSummary
}

/** How far an output is off. */
export interface OutputError extends ErrorSummary {
  /** Its path in the tree that the function returned, '' for a tensor alone. */
  readonly name: string
  readonly size: number
  /** Significand bits of its dtype. */
  readonly precision: number
}

/** Everything that a shadow run found, as plain data. */
export interface ShadowReport {
  readonly reference: FloatDType | 'real'
  readonly doubt: Doubt | undefined
  readonly outputs: readonly OutputError[]
  readonly operations: readonly OperationError[]
  readonly contributions: readonly Contribution[]
  readonly localErrors: readonly LocalError[]
  readonly culprits: readonly number[]
  readonly faults: readonly Fault[]
  readonly events: readonly PrecisionEvent[]
  readonly divergences: readonly Divergence[]
  readonly branch: Branch | string | undefined
}

/** What a computation is compared with, and what else could be. */
interface ShadowReference extends ChosenReference {
  /** Real numbers, to confirm what float64 finds exact; absent where they are there already, or too slow. */
  readonly confirm?: () => ShadowReference
}

/** Real numbers are off by a relative 2^-200 themselves. */
const nothing = 2 ** -180

/** A finished shadow run: cheap facts as fields, expensive ones as methods. */
export class Shadow {
  /** What was recorded. */
  readonly program: Program
  readonly reference: FloatDType | 'real'
  /** Why float64 was not accurate enough and the reference became 'real', or the doubt that remains. */
  readonly doubt: Doubt | undefined
  /** Decisions that the reference would have taken differently; the errors of what depends on them are left out. */
  readonly divergences: readonly Divergence[]
  /** Where the code itself took another way in float64; a text where it could not run there; undefined if neither. */
  readonly branch: Branch | string | undefined
  readonly #run: ShadowRun<unknown>
  readonly #beside: ShadowReference
  #events: readonly PrecisionEvent[] | undefined
  #local: readonly LocalError[] | undefined
  readonly #groups = new Map<string | undefined, readonly ErrorGroup[]>()

  /** @internal Use `shadow`. */
  constructor(
    run: ShadowRun<unknown>,
    beside: ShadowReference,
    divergences: readonly Divergence[],
    branch: Branch | string | undefined,
  ) {
    this.#run = run
    this.#beside = beside
    this.program = run.program
    this.reference = beside.reference
    this.doubt = beside.doubt
    this.divergences = divergences
    this.branch = branch
  }

  /** What happened, by operation and kind, in the order of the run. */
  get events(): readonly PrecisionEvent[] {
    this.#events ??= findEvents(this.#run)
    return this.#events
  }

  /** The errors of every element of a step's result. */
  errors(step: number): ElementErrors {
    checkStep(this.program, step)
    return elementErrors(this.#run, step)
  }

  /** The errors of every operation with a floating-point result, in bits. */
  operations(): OperationError[] {
    return [...this.program.steps.entries()].flatMap(([i, step]) =>
      isFloat(step.output.dtype) ? [operationError(this.#run, i, step)] : [],
    )
  }

  /** How far each floating-point output is off, in bits. */
  outputs(): OutputError[] {
    return this.program.outputs.flatMap((output, i) => {
      const { dtype, size } = recorded(this.program, output)
      if (!isFloat(dtype)) return []
      const flagged =
        typeof output === 'number' ? this.#run.tainted.get(output - this.program.inputs.length) : undefined
      const bits = bitsBetween(
        this.#run.computed(output),
        this.#run.reference.valueOf(output),
        dtypeFacts(dtype),
      )
      const { precision } = dtypeFacts(dtype)
      return [{ name: this.program.names[i]!, size, precision, ...summarize(size, bits, flagged) }]
    })
  }

  /** Whether nothing was rounded and no decision differs: the computation was exact. What float64 finds so, reals confirm. */
  get clean(): boolean {
    if (this.divergences.length > 0 || this.outputs().some(({ max }) => max > nothing)) return false
    const exact = this.program.steps.every((step, i) => {
      if (!isFloat(step.output.dtype) || kindOf(step.op) !== 'rounds') return true
      const { introduced, computed } = this.errors(i)
      return introduced.every((error, k) => Math.abs(error) <= nothing * Math.abs(computed[k]!))
    })
    const { confirm } = this.#beside
    return exact && (confirm === undefined || shadowOf(this.program, confirm(), this.branch).clean)
  }

  /** The cost of each operation for the output, and the gain if it alone were exact, best remedy first. */
  contributions(options: ContributionOptions = {}): Contribution[] {
    checkOptions('contributions', options, contributionNames)
    return contributionsOf(this.#run, options)
  }

  /**
   * The same by source line and operation, and for each constant that rounding changed, with shares of the error: of all
   * outputs together, or of the one with this name.
   */
  groups(output?: string): readonly ErrorGroup[] {
    let groups = this.#groups.get(output)
    if (groups === undefined) {
      const at = output === undefined ? -1 : this.program.names.indexOf(output)
      if (output !== undefined && at < 0) throw new RangeError(`groups: no such output [${output}]`)
      const [outputs, names] = [this.program.outputs.slice(at, at + 1), [output ?? '']]
      const run = at < 0 ? this.#run : { ...this.#run, program: { ...this.program, outputs, names } }
      groups = errorGroupsOf(run)
      this.#groups.set(output, groups)
    }
    return groups
  }

  /** Where the problem is ill-conditioned: every operation's error on exact operands. */
  localErrors(): readonly LocalError[] {
    this.#local ??= localErrorsOf(this.#run)
    return this.#local
  }

  /** The steps with a large local error that reach an output which is wrong, compensation left out. */
  culprits(): number[] {
    return culpritsOf(this.#run, this.localErrors())
  }

  /** The operations at which the run goes wrong, each fault once: after a fault the reference continues from the computed value. */
  faults(options: FaultOptions = {}): Fault[] {
    return faultsOf(this.program, options)
  }

  /** The report as text. */
  toString(): string {
    return this.report()
  }

  /** The report as text, without what happens on some source lines. */
  report(options: ReportOptions = {}): string {
    checkOptions('report', options, reportNames)
    const { ignore = [] } = options
    checkIgnore('report', ignore)
    return shadowText(ignore.length === 0 ? this : withoutLines(this, ignore))
  }

  /** The report as plain data, for JSON; numbers that are not finite become null there. */
  toJSON(): ShadowReport {
    return {
      reference: this.reference,
      doubt: this.doubt,
      outputs: this.outputs(),
      operations: this.operations(),
      contributions: this.contributions(),
      localErrors: this.localErrors(),
      culprits: this.culprits(),
      faults: this.faults(),
      events: this.events,
      divergences: this.divergences,
      branch: this.branch,
    }
  }
}

/**
 * Runs a computation and the same operations without rounding, and reports where bits were lost.
 *
 * `f` takes the tree of tensors `inputs` and returns a tensor or a tree of them; nothing in it has to be changed. What is
 * seen is what it does with tensors: a number read out of one (`item`, `toNumbers`) leaves the recording.
 *
 * Shape     any. Dtype any; inputs are exact by definition, and so are constants, after their rounding to the dtype.
 * Rounding  errors are bits: log2 of the steps of the dtype between two values, plus one; a NaN is wrong in all bits.
 * Throws    RangeError or TypeError for inputs that are not finite, no floating-point result, two runs that differ.
 * Cost      one run in float64 beside it; errors another; `check` two more; contributions one for each operation.
 * Source    Herbgrind, doi:10.1145/3192366.3192411; the terms are those of ../../docs/precision-doctor.md.
 *
 * @example shadow((x) => sub(sqrt(add(x, 1)), sqrt(x)), tensor(8224416)).contributions()[0].step // 2
 */
export function shadow<T extends Treelike>(
  f: TensorFunction<T>,
  inputs: T,
  options: ShadowOptions = {},
): Shadow {
  checkFunction('shadow', 'f', f)
  checkOptions('shadow', options, shadowNames)
  const { reference = 'auto', check = true, sites = check, rules } = options
  if (!['auto', 'real'].includes(reference)) {
    if (!isFloat(reference as FloatDType)) {
      throw new TypeError(`shadow: needs a floating-point reference [${String(reference)}]`)
    }
    checkFloatDType('shadow', 'reference', reference)
  }
  const first = programOf('shadow', f, inputs, { sites: sites && !check })
  const program = check ? checkDeterministic('shadow', first, f, inputs, { sites }) : first
  const branch = check ? findBranch('shadow', program, f, inputs) : undefined
  return shadowOf(program, besideOf(program, reference, rules), branch)
}

function besideOf(
  program: Program,
  asked: FloatDType | 'real' | 'auto',
  rules: ReadonlyMap<Op, RealRule> | undefined,
): ShadowReference {
  const chosen = chosenReference(program, asked, rules)
  if (asked !== 'auto' || chosen.reference === 'real' || !affordsReals(program)) return chosen
  return { ...chosen, confirm: () => besideOf(program, 'real', rules) }
}

function shadowOf(program: Program, beside: ShadowReference, branch: Branch | string | undefined): Shadow {
  const { arithmetic, run: reference } = beside
  const divergences = divergencesOf(program, reference)
  const widened = new Map<Operand, unknown>()
  const computed = (operand: Operand): unknown => {
    let value = widened.get(operand)
    if (value === undefined) {
      value = arithmetic.widen(recorded(program, operand))
      widened.set(operand, value)
    }
    return value
  }
  const exacts: unknown[] = []
  const exact = (i: number): unknown => {
    exacts[i] ??= exactOf(program, i, arithmetic, computed)
    return exacts[i]!
  }
  const tainted =
    divergences.length === 0
      ? new Map<number, Uint8Array>()
      : taintedElements(program, reference, referenceRun(program, arithmetic, 'own'))
  const run: ShadowRun<unknown> = { program, arithmetic, reference, computed, exact, tainted }
  return new Shadow(run, beside, divergences, branch)
}

function exactOf<W>(
  program: Program,
  i: number,
  arithmetic: WideArithmetic<W>,
  computed: (operand: Operand) => W,
): W {
  const step = program.steps[i]!
  if (kindOf(step.op) !== 'rounds') return computed(program.inputs.length + i)
  return arithmetic.run(step, step.operands.map(computed))
}

function findEvents(run: ShadowRun<unknown>): PrecisionEvent[] {
  const { program } = run
  return [...program.steps.entries()].flatMap(([i, { op, operands, attributes, output }]) => {
    if (!isFloat(output.dtype) || kindOf(op) !== 'rounds') return []
    return eventsOf({
      step: i,
      op,
      operands: operands.map((operand) => recorded(program, operand)),
      values: () => operands.map((operand) => numbers(run.computed(operand))),
      result: () => numbers(run.computed(program.inputs.length + i)),
      exact: () => numbers(run.exact(i)),
      output,
      attributes,
    })
  })
}

function operationError(run: ShadowRun<unknown>, i: number, { op, site, output }: Step): OperationError {
  const value = run.program.inputs.length + i
  const grid = dtypeFacts(output.dtype)
  const flagged = run.tainted.get(i)
  const [computed, exact, reference] = [run.computed(value), run.exact(i), run.reference.valueOf(value)]
  const between = (a: unknown, b: unknown): ErrorSummary =>
    summarize(output.size, bitsBetween(a, b, grid), flagged)
  return {
    step: i,
    op: op.name,
    site,
    dtype: output.dtype as FloatDType,
    shape: output.shape,
    total: between(computed, reference),
    introduced: between(computed, exact),
    inherited: between(exact, reference),
  }
}

function checkStep(program: Program, step: number): void {
  if (!Number.isInteger(step) || step < 0 || step >= program.steps.length) {
    throw new RangeError(`errors: no such step of ${program.steps.length} [${step}]`)
  }
}
