import type { BitsKept } from './bitsKept.js'
import type { Rewrite, Rewriting } from './rewriting.js'

/** Rewrites that are listed. */
const most = 6

/** The replacement code, as lines. */
export function rewriteText({
  before,
  after,
  rewrites,
  reference,
  candidates,
}: Omit<Rewriting, 'toString'>): string {
  if (rewrites.length === 0) {
    return `nothing to write otherwise: of ${candidates} forms tried none adds right bits to the outputs`
  }
  const lines = [
    `what to write instead: right bits of ${number(before.of)} in the outputs, in the mean (and the worst element), beside ${reference}`,
    ...rewrites.slice(0, most).flatMap((rewrite) => textOf(rewrite, before)),
  ]
  const left = rewrites.length - most
  if (left > 0) lines.push(`  and ${left} more`)
  if (rewrites.length > 1) lines.push(`  ${bitsText(before, after)}  all of them`)
  return lines.join('\n')
}

function textOf({ from, to, operands, site, steps, alone }: Rewrite, before: BitsKept): string[] {
  const times = steps.length > 1 ? `, ${steps.length} times` : ''
  const where = site ? ` at ${site}` : ''
  const read = operands.length > 0 ? `; ${operands.join(', ')}` : ''
  return [`  ${bitsText(before, alone)}  ${to}`, `      for ${from}${where}${times}${read}`]
}

function bitsText(before: BitsKept, after: BitsKept): string {
  return `${number(before.mean)} -> ${number(after.mean)} (${number(before.worst)} -> ${number(after.worst)})`
}

function number(bits: number): string {
  return bits.toFixed(1)
}
