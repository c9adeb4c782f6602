import { checkArray, checkRecord, shown } from '../../../base/options/index.js'
import type { ChainStep, ElementStep, HistoryStep, NonFinite, NonFiniteKind } from './nonFinite.js'

/**
 * What `findFirstNonFinite` found, in words and numbers: what happened, where its operands came from, how it reached
 * the output. Every number is the computation's own.
 *
 * @example explain(findFirstNonFinite(log(record(tensor([1, 0]))))).split('\n')[0] // log(0) = -Infinity at [1] of float32 [2], node 1 of 2: log of zero
 */
export function explain(event: NonFinite): string {
  checkRecord('explain', 'event', event, ['kind', 'history', 'chain'])
  const { kind, history, chain, output } = event
  for (const list of ['history', 'chain'] as const) checkArray('explain', list, event[list])
  for (const step of [event, ...history, ...chain]) checkStep(step)
  const lines = [`${headline(event)}: ${inWords[kind] ?? kind}${detail(event)}`]
  if (history.length > 0) {
    lines.push('', 'Where the operand came from, backwards:', ...history.map(historyLine))
  }
  if (chain.length > 0) lines.push('', 'How it reached the output:', ...chainLines(chain))
  lines.push('', `Seen in ${output === '' ? 'the output' : `output ${output}`}.`)
  return lines.join('\n')
}

/** Throws unless the fields that a line is made of are those of a step. */
function checkStep(step: ElementStep): void {
  checkRecord('explain', 'a step', step, ['op', 'shape', 'at', 'operands', 'counts', 'value'])
  for (const list of ['shape', 'at', 'counts', 'operands'] as const) checkArray('explain', list, step[list])
  for (const list of step.operands) checkArray('explain', 'an entry of operands', list)
  const numbers: readonly unknown[] = [step.value, ...step.counts, ...step.operands.flat()]
  const wrong = numbers.find((value) => typeof value !== 'number')
  if (wrong !== undefined) throw new TypeError(`explain: a value of a step is not a number [${shown(wrong)}]`)
}

/** Kinds that do not speak for themselves. */
const inWords: Readonly<Partial<Record<NonFiniteKind, string>>> = {
  input: 'it was there from the beginning',
  constant: 'an operand that was not computed is not finite',
  pole: 'the exact result is infinite',
  operation: 'not finite, of finite operands',
}

/** Lines of the way shown in full at each end. */
const shownSteps = 6

function headline(event: NonFinite): string {
  const { index, nodes, op } = event
  return op === 'input' ? placed(event) : `${placed(event)}, node ${index} of ${nodes}${lineOf(event)}`
}

/** The source line of an operation that was recorded with one. */
function lineOf({ op, site }: ElementStep): string {
  return site === undefined || op === 'input' ? '' : ` at ${site}`
}

function placed(event: ElementStep): string {
  return `${call(event)} at [${event.at.join(', ')}] of ${event.dtype} [${event.shape.join(', ')}]`
}

/** What happened in one element of one operation, in a line. */
export function eventLine(event: Happened): string {
  return `${placed(event)}: ${inWords[event.kind] ?? event.kind}${detail(event)}`
}

type Happened = ElementStep & Pick<NonFinite, 'kind' | 'largest' | 'threshold'>

function detail({ kind, exact, largest, threshold, op, dtype }: Happened): string {
  if (kind !== 'overflow') return ''
  const limit = `, the largest ${dtype} is ${short(largest)}`
  if (threshold !== undefined) return `${limit}, which ${op} passes at ${short(threshold)}`
  return exact === undefined ? limit : `${limit}, the exact result ${short(exact)}`
}

function call({ op, operands, counts, value }: ElementStep): string {
  if (op === 'input') return `input = ${short(value)}`
  return `${op}(${operands.map((list, i) => listed(list, counts[i]!)).join(', ')}) = ${short(value)}`
}

function listed(numbers: readonly number[], count: number): string {
  const text = numbers.map(short).join(' ')
  if (count === 1) return text
  return numbers.length < count ? `[${text} and ${count - numbers.length} more]` : `[${text}]`
}

function historyLine(step: HistoryStep): string {
  const { index, how, exact, value } = step
  const rounding = how === 'passed' ? '' : `, ${how}`
  const wide = exact !== undefined && exact !== value ? ` from ${short(exact)}` : ''
  return `  ${index}: ${call(step)}${rounding}${how === 'cancelled' ? '' : wide}${lineOf(step)}`
}

/** All steps where something arose, and the ends of the rest. */
function chainLines(chain: readonly ChainStep[]): string[] {
  const lines: string[] = []
  let left = 0
  chain.forEach((step, i) => {
    if (!step.kind && i >= shownSteps && i < chain.length - shownSteps) {
      left++
      return
    }
    if (left > 0) lines.push(`  ... ${left} more operations`)
    left = 0
    lines.push(`  ${step.index}: ${call(step)}${step.kind ? `, ${step.kind}` : ''}${lineOf(step)}`)
  })
  return lines
}

/** A number in 6 digits. */
export function short(x: number): string {
  return Number.isFinite(x) ? String(Number(x.toPrecision(6))) : String(x)
}
