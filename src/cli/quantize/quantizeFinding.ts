import { readable } from '../../base/text/index.js'
import type { WayTotal } from '../../tensors/blocks/index.js'
import type { QuantizeResults } from './quantizeFile.js'
import { wayName } from './quantizeTable.js'

/** How many ways the sentence names. */
const most = 4

/** The ways than which none has as much signal to noise in as few bits, the fewest bits first. */
export function worthTaking({ totals }: Pick<QuantizeResults, 'totals'>): WayTotal[] {
  const ordered = totals
    .filter(({ sqnr }) => sqnr > -Infinity && !Number.isNaN(sqnr))
    .sort((a, b) => a.bits - b.bits || b.sqnr - a.sqnr)
  return ordered.filter((one, i) => ordered.slice(0, i).every(({ sqnr }) => sqnr < one.sqnr))
}

/** Which way to take, in a sentence. */
export function quantizeFinding(results: QuantizeResults): string {
  const worth = worthTaking(results)
  const [only] = worth
  if (only === undefined) return 'Every way measured makes a value Inf or NaN: none can be taken.'
  if (results.totals.length === 1) {
    return `${wayName(only)} keeps ${decibels(only.sqnr)} in ${readable(only.bits, 4)} bits an element; the worst tensor, ${only.worst.tensor}, keeps ${decibels(only.worst.sqnr)}.`
  }
  const named = worth
    .slice(0, most)
    .map((one) => `${wayName(one)} (${decibels(one.sqnr)}) in ${readable(one.bits, 4)} bits`)
  const others = worth.length > most ? `, and ${worth.length - most} with more bits` : ''
  return `Take ${named.join(', ')}${others}: of the ${readable(results.totals.length)} ways measured none keeps as much in as few bits.`
}

const decibels = (sqnr: number): string => (sqnr === Infinity ? 'every bit' : `${readable(sqnr)} dB`)
