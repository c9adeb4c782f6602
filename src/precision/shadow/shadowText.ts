import type { Program } from '../program/program.js'
import { describeStep } from '../replay/checkRun.js'
import type { Branch } from '../replay/findBranch.js'
import type { Doubt } from '../trust/chosenReference.js'
import type { Divergence } from './divergence.js'
import type { ErrorGroup } from './errorGroups.js'
import type { PrecisionEvent } from './event.js'
import type { Fault, FaultOptions } from './faults.js'
import type { LocalError } from './localErrors.js'
import type { ErrorSummary } from './summarize.js'

interface NamedError extends ErrorSummary {
  readonly name: string
  readonly size: number
  readonly precision: number
}

/** What the report reads of a shadow run. */
export interface ShadowFacts {
  readonly program: Program
  readonly reference: string
  readonly doubt: Doubt | undefined
  readonly divergences: readonly Divergence[]
  readonly branch: Branch | string | undefined
  readonly events: readonly PrecisionEvent[]
  outputs(): readonly NamedError[]
  groups(output?: string): readonly ErrorGroup[]
  localErrors(): readonly LocalError[]
  faults(options?: FaultOptions): readonly Fault[]
}

/** Rows shown of each part of the report, so that it fits a screen: 40 lines at most. */
const rows = { outputs: 5, decisions: 2, groups: 7, local: 4, faults: 3, events: 5 }

/** The report in lines: the outputs, where their error comes from, where the problem is ill-conditioned, where the run goes wrong, what happened. */
export function shadowText(shadow: ShadowFacts): string {
  const { program } = shadow
  const named = (step: number): string => `${step} ${describeStep(program.steps[step])}`
  const worst = worstOf(shadow.outputs())
  const several = shadow.outputs().length > 1
  const groups = shadow.groups(several ? worst?.name : undefined)
  const lines = [`${program.steps.length} operations beside ${shadow.reference}${doubtText(shadow)}`]
  lines.push(...first(shadow.outputs(), rows.outputs, 'outputs', outputText))
  const verdict = verdictOf(worst, groups)
  if (verdict) lines.push(verdict)
  if (shadow.branch !== undefined) lines.push(branchText(shadow))
  lines.push(
    ...first(shadow.divergences, rows.decisions, 'decisions', (divergence) =>
      divergenceText(divergence, named),
    ),
  )
  if (shadow.divergences.length > 0 && shadow.outputs().every(({ unattributed }) => unattributed === 0)) {
    lines.push('  no output depends on that')
  }
  const guilty = groups.filter(({ share = 0, gain = 0 }) => Math.abs(share) >= 0.005 || gain > 1e-6)
  const whoseError =
    several && worst ? `where the error of ${worst.name} comes from` : 'where the error comes from'
  lines.push(`${whoseError}: share to first order, bits gained if none of it were rounded`)
  if (guilty.length === 0) lines.push('  no single operation')
  lines.push(...first(guilty, rows.groups, 'lines', (group) => `  ${groupText(group)}`))
  const local = byLine(
    program,
    shadow.localErrors().filter(({ bits: { max } }) => max >= 1),
    ({ bits: { max } }) => max,
  )
  lines.push('where the problem is ill-conditioned: bits lost on exact operands')
  if (local.length === 0) lines.push('  nowhere')
  lines.push(
    ...first(
      local,
      rows.local,
      'lines',
      ({ most, times }) => `  ${column(most.bits.max)}  ${named(most.step)}${timesText(times)}`,
    ),
  )
  // Where every output is as good as rounding allows, what is off on the way is a correction, or is of no weight.
  const isWrong = shadow.outputs().some(({ max }) => max > 1)
  const faults = byLine(program, isWrong ? shadow.faults() : [], ({ bits: off }) => off, true)
  if (faults.length > 0) lines.push('where the run goes wrong, going on from what was computed: bits off')
  lines.push(
    ...first(
      faults,
      rows.faults,
      'lines',
      ({ most, times }) =>
        `  ${column(most.bits)}  ${named(most.step)}, ${most.computed} for ${most.reference}${timesText(times)}`,
    ),
  )
  const events = byLine(program, shadow.events, ({ count, bits: lost = 0 }) => lost * 1e9 + count, true)
  if (events.length > 0) lines.push('what happened')
  lines.push(
    ...first(
      events,
      rows.events,
      'events',
      ({ most, times }) => `  ${eventText(most)} at ${named(most.step)}${timesText(times)}`,
    ),
  )
  return lines.join('\n')
}

/** Why the reference was chosen, unless it was requested. */
function doubtText({ reference, doubt }: ShadowFacts): string {
  if (!doubt) return ''
  const { output, element, bits, seconds, withoutRule, contradicted } = doubt
  const own =
    withoutRule.length > 0 ? `; ${withoutRule.join(', ')} without a rule on real numbers: in float64` : ''
  const where = `element ${element} of ${output === '' ? 'the output' : `output ${output}`}`
  const off =
    bits < Infinity
      ? `may itself be off by ${bits.toFixed(1)} bits in ${where}`
      : `says nothing sure of ${where}`
  if (contradicted) return `, which certify contradicts in ${where}: do not trust it there`
  return reference === 'real'
    ? `, as float64 ${off}${own}`
    : `, which ${off}: { reference: 'real' } takes some ${seconds.toPrecision(2)} s${own}`
}

/** A decision in words; of a tie, which numbers tie. */
function divergenceText(
  { step, count, element, computed, reference, tie }: Divergence,
  named: (step: number) => string,
): string {
  if (!tie) {
    return `decided differently: ${named(step)}, ${count} elements, the first ${element}: ${computed}, in the reference ${reference}`
  }
  const few = (list: readonly number[]): string =>
    `${list.slice(0, 4).join(', ')}${list.length > 4 ? `, ... of ${list.length}` : ''}`
  return `a tie of one run alone: ${named(tie.step)}, elements ${few(tie.elements)}: ${few(tie.computed)}, in the reference ${few(tie.reference)}`
}

/** The first items in words, and how many more there are. */
function first<T>(items: readonly T[], most: number, what: string, text: (item: T) => string): string[] {
  const left = items.length - most
  return [...items.slice(0, most).map(text), ...(left > 0 ? [`  and ${left} more ${what}`] : [])]
}

/** What happened at each source line and operation: the worst of it, and how often. */
function byLine<T extends { readonly step: number; readonly kind?: string }>(
  program: Program,
  items: readonly T[],
  size: (item: T) => number,
  inOrder = false,
): { readonly most: T; readonly times: number }[] {
  const lines = new Map<string, { most: T; times: number }>()
  for (const item of items) {
    const step = program.steps[item.step]
    const key = step?.site ? `${step.op.name} ${step.site} ${item.kind ?? ''}` : String(lines.size)
    const known = lines.get(key)
    if (!known) {
      lines.set(key, { most: item, times: 1 })
    } else {
      known.times++
      if (size(item) > size(known.most)) known.most = item
    }
  }
  const found = [...lines.values()]
  return inOrder ? found : found.sort((a, b) => size(b.most) - size(a.most) || a.most.step - b.most.step)
}

const timesText = (times: number): string => (times > 1 ? `, and ${times - 1} more times there` : '')

function groupText({ name, site, steps, share, gain }: ErrorGroup): string {
  const percent = share === undefined ? '    -' : `${(100 * share).toFixed(0)} %`.padStart(5)
  const times = steps.length > 1 ? `, ${steps.length} times` : ''
  const number = steps.length > 1 ? '' : `${steps[0]} `
  return `${percent} ${column(gain)}  ${number}${name}${site ? ` at ${site}` : ''}${times}`
}

/** The output with the largest mean error. */
function worstOf(outputs: readonly NamedError[]): NamedError | undefined {
  return outputs.reduce<NamedError | undefined>((a, b) => (!a || b.mean > a.mean ? b : a), undefined)
}

/** One sentence: how good the worst output is, and whose doing that is. */
function verdictOf(worst: NamedError | undefined, groups: readonly ErrorGroup[]): string | undefined {
  if (!worst || worst.max === 0) return worst && 'verdict: exact'
  const who = worst.max === 0 ? '' : whose(groups)
  if (worst.max <= 1) return `verdict: as good as rounding allows${who}`
  const kept = Math.max(0, worst.precision - worst.max)
  return `verdict: ${worst.name === '' ? 'the result' : worst.name} keeps ${kept.toFixed(1)} of ${worst.precision} bits in its worst element${who}`
}

/** The operations responsible for an error: by shares if they add up to it, else by the gain without the roundings of one. */
function whose(groups: readonly ErrorGroup[]): string {
  const [most] = groups
  if (!most) return ''
  const where = `${most.name}${most.site ? ` at ${most.site}` : ''}`
  if (most.saturated && most.gain !== undefined) {
    return `; ${where} is infinite or 0 where it should not be: from there on unrounded, ${bits(most.gain)} bits more`
  }
  const sizes = groups.reduce((sum, { share = 0 }) => sum + Math.abs(share), 0)
  const { share, gain = 0 } = most
  if (share !== undefined && share >= 0.2 && sizes <= 1.5) {
    return `; ${Math.min(100, Math.round(100 * share))} % of the error is ${where}`
  }
  return gain >= 0.1 ? `; unrounded, ${where} would gain ${bits(gain)} bits` : ''
}

function outputText({ name, size, max, mean, median, wrong, unattributed }: NamedError): string {
  const who = name === '' ? 'the output' : `output ${name}`
  if (size > 0 && unattributed === size) {
    return `${who}: not attributed, it depends on a decision that came out differently`
  }
  const left = unattributed > 0 ? `, ${unattributed} of ${size} not attributed` : ''
  return `${who}: worst element off by ${bits(max)} bits, mean ${bits(mean)}, median ${bits(median)}, ${wrong} of ${size} wrong${left}`
}

function branchText({ branch }: ShadowFacts): string {
  if (typeof branch === 'string') return `not checked for branches: in float64 the function says "${branch}"`
  const { kind, step, narrow, wide } = branch!
  return kind === 'operations'
    ? `the code branches on values: step ${step} is ${narrow}; in float64 ${wide}`
    : `a number was read out of a tensor: step ${step} takes ${narrow}; in float64 ${wide}`
}

/** An event in words. */
export function eventText({
  kind,
  count,
  element,
  operands,
  result,
  bits: lost,
  form,
}: PrecisionEvent): string {
  const what = kind === 'cancel' ? `cancel, ${lost} bits` : form ? `${kind}, ${form}` : kind
  const from = operands.length > 0 ? ` from ${operands.join(', ')}` : ''
  return `${what}: ${count}, the first at element ${element}: ${result}${from}`
}

function bits(value: number): string {
  return value.toFixed(2)
}

function column(value: number | undefined): string {
  return (value === undefined ? '-' : bits(value)).padStart(6)
}
