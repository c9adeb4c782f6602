import type { Program } from '../program/program.js'
import { told } from '../replay/checkRun.js'
import type { Branch } from '../replay/findBranch.js'
import type { Contribution } from './contributions.js'
import type { Divergence } from './divergence.js'
import type { PrecisionEvent } from './event.js'
import type { LocalError } from './localErrors.js'
import type { ErrorSummary } from './summarize.js'

interface NamedError extends ErrorSummary {
  readonly name: string
  readonly size: number
}

/** What the report reads of a shadow run. */
export interface ShadowFacts {
  readonly program: Program
  readonly reference: string
  readonly divergences: readonly Divergence[]
  readonly branch: Branch | string | undefined
  readonly events: readonly PrecisionEvent[]
  outputs(): readonly NamedError[]
  contributions(): readonly Contribution[]
  localErrors(): readonly LocalError[]
}

/** Rows shown of each part of the report. */
const shown = 10

/** The report in lines: the outputs, what would help, where the problem is ill-conditioned, what happened. */
export function shadowText(shadow: ShadowFacts): string {
  const { program } = shadow
  const named = (step: number): string => `${step} ${told(program.steps[step])}`
  const lines = [`${program.steps.length} operations beside ${shadow.reference}`]
  for (const output of shadow.outputs()) lines.push(outputText(output))
  if (shadow.branch !== undefined) lines.push(branchText(shadow))
  for (const { step, count, element, computed, reference } of shadow.divergences)
    lines.push(
      `decided differently: ${named(step)}, ${count} elements, the first ${element}: ${computed}, in the reference ${reference}`,
    )
  const contributions = shadow
    .contributions()
    .filter(({ gain, firstOrder }) => Math.max(gain ?? 0, firstOrder ?? 0) > 1e-6)
  lines.push('what would help: bits gained if this operation alone were exact, and to first order')
  if (contributions.length === 0) lines.push('  no single operation')
  for (const { step, gain, firstOrder } of contributions.slice(0, shown))
    lines.push(`  ${column(gain)} ${column(firstOrder)}  ${named(step)}`)
  const local = [...shadow.localErrors()]
    .filter(({ bits: { max } }) => max >= 1)
    .sort((a, b) => b.bits.max - a.bits.max || a.step - b.step)
  lines.push('where the problem is ill-conditioned: bits lost on exact operands')
  if (local.length === 0) lines.push('  nowhere')
  for (const { step, bits: error } of local.slice(0, shown))
    lines.push(`  ${column(error.max)}  ${named(step)}`)
  if (shadow.events.length > 0) lines.push('what happened')
  for (const event of shadow.events) lines.push(`  ${eventText(event)} at ${named(event.step)}`)
  return lines.join('\n')
}

function outputText({ name, size, max, mean, median, wrong, unattributed }: NamedError): string {
  const who = name === '' ? 'the output' : `output ${name}`
  if (size > 0 && unattributed === size)
    return `${who}: not attributed, it depends on a decision that came out differently`
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
