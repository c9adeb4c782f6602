import { fixed } from '../../parts/fixed.js'
import type { Diagnosis } from './programMessages.js'

/** What the doctor found, in sentences: how much is kept, what costs it, what to write instead, what is certain. */
export function answerOf({ report, lines, certified, rewrites, tuned }: Diagnosis): string[] {
  const sentences: string[] = []
  const [, verdict] = /^verdict: (?:the result )?(.*?)(?:;|$)/m.exec(report) ?? []
  if (verdict !== undefined) sentences.push(`The result ${verdict}.`)
  const worst = lines.find(({ share }) => share !== null && share > 0.005)
  if (worst) {
    const [name = '', ...gains] = worst.text.split(': ')
    const gain = /(-?[\d.]+) bits more/.exec(gains.join(': '))?.[1]
    const more = gain === undefined || Number(gain) < 0.05 ? '' : `; unrounded it would gain ${gain} bits`
    sentences.push(
      `Line ${worst.line} makes ${fixed(100 * worst.share!, 0)} % of the error, in ${name}${more}.`,
    )
  }
  const [, before, after, instead] = /^\s+([\d.]+) -> ([\d.]+)[^\n]*?\)\s{2,}(\S.*)$/m.exec(rewrites) ?? []
  if (instead !== undefined) {
    sentences.push(`Written as ${instead}, it has ${after} right bits in the mean instead of ${before}.`)
  }
  if (tuned !== null) {
    sentences.push(tuned.split('\n')[0]!.replace(/^Keep wide: /, 'To meet the target, keep wide: '))
  }
  const bounds = certified.map(({ bound }) => bound)
  if (bounds.length > 0) {
    const most = Math.max(...bounds)
    const open = Math.max(...certified.map((one) => one.open))
    sentences.push(
      Number.isFinite(most)
        ? `It is certain that no output is off by more than ${most.toPrecision(3)}.`
        : `No bound is certain${open > 0 ? `: ${open} decision${open === 1 ? '' : 's'} may go either way` : ''}.`,
    )
  }
  return sentences
}
