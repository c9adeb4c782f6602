import { dtypeFacts, type FloatDType, ops, type Tensor } from '../../tensors/tensor/index.js'
import { kindOf } from '../program/opKind.js'
import { type Operand, type Program, recorded, type Step } from '../program/program.js'
import { spacing } from '../program/spacing.js'
import type { ShadowRun } from '../shadow/shadowRun.js'
import type { StepLeaf } from './stepLeaves.js'

/** What one step did to one leaf. */
export interface LeafUpdate {
  /** Its path among the parameters, or in the state. */
  readonly name: string
  readonly kind: 'parameter' | 'state'
  readonly dtype: FloatDType
  readonly shape: readonly number[]
  readonly size: number
  /** Elements that the step would change in exact arithmetic. */
  readonly asked: number
  /** Those of them that it left as they were: their updates are under half an ulp. */
  readonly unchanged: number
  /** Share of the way, summed over elements, that the leaf went: 1 is what exact arithmetic asks for. */
  readonly moved: number
  /** The same in the mean where the last rounding is stochastic. */
  readonly movedStochastic: number
  /** Elements that would change under stochastic rounding, in the mean. */
  readonly changedStochastic: number
  /** The median update in ulps of its element. */
  readonly ulps: number
  /** Where it is written: the operation that rounds last, and its line. */
  readonly op: string | undefined
  readonly site: string | undefined
  /** Whether a wider copy is kept beside it, so that nothing is lost. */
  readonly keptWider: boolean
}

/**
 * The update of a leaf, measured against the reference; where the recording lost it, as in a loop over the codes that an
 * optimizer fuses, against what the step itself gives in float64.
 */
export function updateOf(run: ShadowRun<Tensor>, leaf: StepLeaf, inFloat64: Tensor | undefined): LeafUpdate {
  const { program, reference } = run
  const own = program.inputs[leaf.before]!
  const dtype = own.dtype as FloatDType
  const facts = dtypeFacts(dtype)
  const [before, after] = [own.toNumbers(), run.computed(leaf.after).toNumbers()]
  const whole = reaches(program, leaf.after, leaf.before)
  const rounding = lastRounding(run, leaf.after)
  const wanted = (whole ? undefined : inFloat64?.toNumbers()) ?? reference.valueOf(leaf.after).toNumbers()
  const last = whole ? rounding : undefined
  const exact = last === undefined ? wanted : unrounded(run, leaf.after).toNumbers()
  const ulps: number[] = []
  let [asked, unchanged, way, moved, movedStochastic, changedStochastic] = [0, 0, 0, 0, 0, 0]
  for (let i = 0; i < before.length; i++) {
    const [w, target] = [before[i]!, exact[i]!]
    const wish = wanted[i]! - w
    const ulp = spacing(w, facts)
    changedStochastic += Math.min(1, Math.abs(target - w) / ulp) || 0
    if (wish === 0 && target === w) continue
    asked++
    if (after[i] === w) unchanged++
    if (!Number.isFinite(wish)) continue
    ulps.push(Math.abs(wish) / ulp)
    way += Math.abs(wish)
    moved += (after[i]! - w) * Math.sign(wish)
    movedStochastic += (target - w) * Math.sign(wish)
  }
  const step = last === undefined ? undefined : program.steps[last]
  return {
    ...{ name: leaf.name, kind: leaf.kind, dtype, shape: own.shape, size: own.size },
    ...{ asked, unchanged, changedStochastic },
    moved: way === 0 ? 1 : moved / way,
    movedStochastic: way === 0 ? 1 : movedStochastic / way,
    ulps: ulps.sort((a, b) => a - b)[ulps.length >> 1] ?? 0,
    ...{ op: step?.op.name, site: step?.site },
    keptWider: rounding !== undefined && isKeptWider(run, rounding),
  }
}

/** The step behind a value that rounds it; undefined where the value was not recorded, or never rounded. */
function lastRounding({ program }: ShadowRun<Tensor>, operand: Operand): number | undefined {
  const n = program.inputs.length
  let at: Operand | undefined = operand
  while (typeof at === 'number' && at >= n) {
    const step: Step = program.steps[at - n]!
    if (kindOf(step.op) === 'rounds') return at - n
    // Of a choice between two the first is the new value.
    at = step.operands[step.op === ops.where ? 1 : 0]
  }
  return undefined
}

/** A value before its last rounding. */
function unrounded(run: ShadowRun<Tensor>, operand: Operand): Tensor {
  const n = run.program.inputs.length
  if (typeof operand !== 'number' || operand < n) return run.computed(operand)
  const step = run.program.steps[operand - n]!
  if (kindOf(step.op) === 'rounds') return run.exact(operand - n)
  if (kindOf(step.op) === 'decides') return run.computed(operand)
  return run.arithmetic.run(
    step,
    step.operands.map((x) => unrounded(run, x)),
  )
}

/** Whether a step is a cast from something wider that is itself a result. */
function isKeptWider({ program }: ShadowRun<Tensor>, last: number): boolean {
  const { op, operands } = program.steps[last]!
  const [x] = operands
  if (op !== ops.cast || x === undefined) return false
  const { data } = recorded(program, x)
  return program.outputs.some((output) => output === x || recorded(program, output).data === data)
}

/** Whether the recording leads from a value back to an input. */
function reaches({ inputs, steps }: Program, operand: Operand, input: number): boolean {
  const seen = new Set<number>()
  const open: Operand[] = [operand]
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === input) return true
    if (typeof at !== 'number' || at < inputs.length || seen.has(at)) continue
    seen.add(at)
    open.push(...steps[at - inputs.length]!.operands)
  }
  return false
}
