import { checkFunction, checkOptions, type OptionTable } from '../../base/options/index.js'
import type { GradientRules } from '../../tensors/autodiff/index.js'
import { cast, isFloat, type Tensor } from '../../tensors/tensor/index.js'
import { constantText, unroundedConstant } from '../program/constantOf.js'
import { checkIgnore, isIgnored } from '../program/isIgnored.js'
import { type Program, programOf, recorded } from '../program/program.js'
import { checkDeterministic } from '../replay/checkRun.js'
import { dtypeArithmetic } from '../replay/dtypeArithmetic.js'
import { referenceRun } from '../replay/reference.js'
import type { ShadowRun } from '../shadow/shadowRun.js'
import { type FoundGradient, findGradients, gradientErrorOf } from './gradientErrors.js'
import { gradientLines } from './gradientLines.js'
import { type StepLeaf, stepLeaves } from './stepLeaves.js'
import { tensorsIn, withTensors } from './tensorsIn.js'
import type { RoundedConstant, TrainStepShadow, UpdateLine } from './trainStep.js'
import { trainStepText } from './trainStepText.js'
import { type LeafUpdate, updateOf } from './updates.js'

/** How a training step is shadowed. */
export interface TrainStepOptions<A extends readonly unknown[] = readonly unknown[]> {
  /**
   * Loss and gradients as a function of the step's arguments, `[loss, grads]`, grads with the structure of the parameters.
   * Default: those of `makeTrainStep`; of another step the gradients are looked for among its values.
   */
  readonly lossAndGrad?: (...args: A) => unknown
  /** The path of the loss in what the step returns: `loss`, `0.loss`. Default: `loss`, or the only scalar beside the leaves. */
  readonly loss?: string
  /** Source lines to leave out of the report: `step.ts:12`, or a file. Default none. */
  readonly ignore?: readonly string[]
  /** Gradient rules of custom operations. */
  readonly gradientRules?: GradientRules
}

const trainStepNames: OptionTable<TrainStepOptions> = {
  lossAndGrad: 'optional',
  loss: 'optional',
  ignore: 'optional',
  gradientRules: 'optional',
}

/**
 * Compares one training step with float64: which parameters its update left unchanged, what stochastic rounding would have done,
 * how far its gradients are off against their own size, and which constants changed when they were rounded.
 *
 * `step` takes its arguments as it does in training: `step({ params, state }, ...batch)` of `makeTrainStep`, or
 * `step(params, state, batch)`; it returns `{ params, state, loss }`, `[params, state]`, or the parameters alone. Gradients are
 * found where it returns its loss.
 *
 * Rounding  an update is unchanged where exact arithmetic would change the element and the step did not. Under stochastic
 *           rounding of the last operation an element changes with the probability of its distance in ulps, and the mean is
 *           the value before that rounding. A gradient's error is its root mean square over that of the exact gradient.
 * Throws    inputs that are not finite, a step that is not deterministic, one that returns no parameters.
 * Cost      three runs, two of them in float64, and one backward pass over the whole step.
 * Source    stalled updates: Zamirai et al., Revisiting BFloat16 Training, arXiv:2010.06192
 *
 * @example const small = tensor([1, 1], { dtype: 'bfloat16' })
 * shadowTrainStep((w) => sub(w, 0.001), [small]).updates[0].unchanged // 2
 */
export function shadowTrainStep<A extends readonly unknown[]>(
  step: (...args: A) => unknown,
  args: Readonly<A>,
  options: TrainStepOptions<A> = {},
): TrainStepShadow {
  checkFunction('shadowTrainStep', 'step', step)
  checkOptions('shadowTrainStep', options, trainStepNames)
  if (!Array.isArray(args)) {
    throw new TypeError(`shadowTrainStep: args is no list of the step's arguments [${typeof args}]`)
  }
  const { ignore = [], gradientRules } = options
  checkIgnore('shadowTrainStep', ignore)
  const { program, inputs, outputs, result } = recordStep(step, args)
  const leaves = stepLeaves(program, { inputs, outputs }, args, result)
  if (!leaves.some(({ kind }) => kind === 'parameter')) {
    throw new RangeError(
      `shadowTrainStep: the step gives no parameters back, { params, ... }, [params, ...] or params alone [${outputs.slice(0, 5).join(', ')}]`,
    )
  }
  const run = besideFloat64(program)
  const wide = inFloat64(step, args)
  const updates = leaves.map((leaf) => updateOf(run, leaf, wide?.[leaf.to]))
  const parameters = leaves.filter(({ kind }) => kind === 'parameter')
  const gradients = gradientsOf(step, args, parameters, { run, outputs, leaves: leaves.length }, options)
  const isReported = (site: string | undefined): boolean => !isIgnored(site, ignore)
  const facts = {
    updates,
    lines: linesOf(updates).filter(({ site }) => isReported(site)),
    loss: gradients.loss,
    gradients: gradients.found
      .map((gradient) => gradientErrorOf(gradients.run, gradient))
      .sort((a, b) => (b.relative || 0) - (a.relative || 0)),
    gradientLines: gradientLines(gradients.run, gradients.found, gradientRules).filter(({ site }) =>
      isReported(site),
    ),
    gradientsOf: gradients.of,
    constants: constantsOf([program, gradients.run.program]).filter(({ site }) => isReported(site)),
    operations: program.steps.length + (gradients.run === run ? 0 : gradients.run.program.steps.length),
  }
  return { ...facts, toString: () => trainStepText(facts) }
}

interface RecordedStep {
  readonly program: Program
  /** Paths of what goes in and of what comes out. */
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly result: unknown
}

/** Records a function of a step's arguments. */
function recordStep<A extends readonly unknown[]>(
  step: (...args: A) => unknown,
  args: Readonly<A>,
): RecordedStep {
  const given = tensorsIn(args)
  const inputs = Object.keys(given)
  let result: unknown
  const f = (leaves: readonly Tensor[]): Tensor[] => {
    const traced = Object.fromEntries(inputs.map((path, i) => [path, leaves[i]!] as const))
    result = step(...(withTensors(args, traced) as unknown as A))
    if (result instanceof Promise) throw new TypeError('shadowTrainStep: the step is asynchronous [Promise]')
    return Object.values(tensorsIn(result))
  }
  const tensors = Object.values(given)
  const first = programOf('shadowTrainStep', f, tensors, { sites: true })
  const program = checkDeterministic('shadowTrainStep', first, f, tensors, { sites: true })
  return { program, inputs, outputs: Object.keys(tensorsIn(result)), result }
}

/** What the step gives on the same arguments in float64, by path; undefined where it does not take them. */
function inFloat64<A extends readonly unknown[]>(
  step: (...args: A) => unknown,
  args: Readonly<A>,
): Readonly<Record<string, Tensor>> | undefined {
  const wide = Object.entries(tensorsIn(args)).map(
    ([path, x]) => [path, isFloat(x.dtype) ? cast(x, 'float64') : x] as const,
  )
  try {
    return tensorsIn(step(...(withTensors(args, Object.fromEntries(wide)) as unknown as A)))
  } catch {
    return undefined
  }
}

/** The gradients of a step: those that it is made with, or those found among its values. */
function gradientsOf<A extends readonly unknown[]>(
  step: (...args: A) => unknown,
  args: Readonly<A>,
  parameters: readonly StepLeaf[],
  whole: { readonly run: ShadowRun<Tensor>; readonly outputs: readonly string[]; readonly leaves: number },
  options: TrainStepOptions<A>,
): {
  readonly run: ShadowRun<Tensor>
  readonly found: readonly FoundGradient[]
  readonly of: TrainStepShadow['gradientsOf']
  readonly loss: TrainStepShadow['loss']
} {
  const own = options.lossAndGrad ?? ownLossAndGrad(step)
  if (own) {
    const { program, outputs } = recordStep(own, args)
    const run = besideFloat64(program)
    const found = parameters.flatMap((leaf): FoundGradient[] => {
      const operand = program.outputs[outputs.indexOf(leaf.name === '' ? '1' : `1.${leaf.name}`)]
      if (typeof operand !== 'number') return []
      return [{ leaf, operand, exact: run.reference.valueOf(operand).toNumbers() }]
    })
    // With auxiliary values the loss is the first of a pair.
    const loss = lossOf(
      run,
      outputs.findIndex((path) => path === '0' || path === '0.0'),
    )
    return { run, found, of: found.length > 0 ? 'loss' : 'not found', loss }
  }
  const { run, outputs, leaves } = whole
  const path = options.loss ?? usualLoss(run.program, outputs, leaves)
  const at = path === undefined ? -1 : outputs.indexOf(path)
  if (options.loss !== undefined && at < 0) {
    throw new RangeError(
      `shadowTrainStep: the step returns no tensor of that path as its loss [${options.loss}]`,
    )
  }
  if (at < 0) return { run, found: [], of: 'no loss', loss: undefined }
  const found = findGradients(run, parameters, run.program.outputs[at]!) ?? []
  return { run, found, of: found.length > 0 ? 'loss' : 'not found', loss: lossOf(run, at) }
}

/** The loss among the outputs of a program, beside its value in float64. */
function lossOf(run: ShadowRun<Tensor>, at: number): TrainStepShadow['loss'] {
  const operand = run.program.outputs[at]
  const given = operand === undefined ? undefined : recorded(run.program, operand)
  if (operand === undefined || given?.size !== 1) return undefined
  return { value: given.toNumbers()[0]!, exact: run.reference.valueOf(operand).toNumbers()[0]! }
}

/** Loss and gradients of a step by `makeTrainStep`, as a function of the step's arguments. */
function ownLossAndGrad<A extends readonly unknown[]>(
  step: (...args: A) => unknown,
): ((...args: A) => unknown) | undefined {
  const { lossAndGrad } = step as { readonly lossAndGrad?: unknown }
  if (typeof lossAndGrad !== 'function') return undefined
  return (...args) => {
    const [point, ...batch] = args as readonly unknown[]
    return lossAndGrad((point as { readonly params: unknown }).params, ...batch)
  }
}

/** A program with its float64 run, before any comparison. */
function besideFloat64(program: Program): ShadowRun<Tensor> {
  const arithmetic = dtypeArithmetic('float64')
  const widened = new Map<number | Tensor, Tensor>()
  const computed = (operand: number | Tensor): Tensor => {
    const value = widened.get(operand) ?? arithmetic.widen(recorded(program, operand))
    widened.set(operand, value)
    return value
  }
  const exact = (i: number): Tensor => {
    const step = program.steps[i]!
    return arithmetic.run(step, step.operands.map(computed))
  }
  const reference = referenceRun(program, arithmetic)
  return { program, arithmetic, reference, computed, exact, tainted: new Map() }
}

/** The path of a step's loss, if it is named or the only scalar that is not a leaf. */
function usualLoss(program: Program, names: readonly string[], leaves: number): string | undefined {
  if (names.includes('loss')) return 'loss'
  const scalars = names.filter((_, k) => {
    const { dtype, size } = recorded(program, program.outputs[k]!)
    return isFloat(dtype) && size === 1
  })
  return scalars.length === 1 && names.length > leaves ? scalars[0] : undefined
}

/** The same by source line and operation. */
function linesOf(updates: readonly LeafUpdate[]): UpdateLine[] {
  const lines = new Map<string, LeafUpdate[]>()
  for (const update of updates) {
    const key = `${update.op} ${update.site}`
    lines.set(key, [...(lines.get(key) ?? []), update])
  }
  return [...lines.values()].map((list): UpdateLine => {
    const total = (of: (update: LeafUpdate) => number): number => list.reduce((sum, x) => sum + of(x), 0)
    return {
      op: list[0]!.op,
      site: list[0]!.site,
      leaves: list.map(({ name }) => name),
      asked: total(({ asked }) => asked),
      unchanged: total(({ unchanged }) => unchanged),
    }
  })
}

/** Constants that rounding changed, each once, and how far. */
function constantsOf(programs: readonly Program[]): RoundedConstant[] {
  const found = new Map<string, RoundedConstant>()
  for (const step of programs.flatMap(({ steps }) => steps)) {
    const given = unroundedConstant(step)?.toNumbers()
    if (!given) continue
    const text = constantText(step)
    const rounded = step.output.toNumbers()
    const relative = given.reduce((most, x, i) => Math.max(most, Math.abs((rounded[i]! - x) / x) || 0), 0)
    const key = `${text} ${step.site}`
    if (!found.has(key)) found.set(key, { text, relative, site: step.site })
  }
  return [...found.values()].sort((a, b) => b.relative - a.relative)
}
