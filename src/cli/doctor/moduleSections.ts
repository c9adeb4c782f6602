import { readable } from '../../base/text/index.js'
import type { Rewriting, TrainStepShadow } from '../../precision/index.js'
import { type Column, htmlTable, type Section } from '../../report/index.js'

/** Whether a source line is one of those to be left out: `model.mjs:12`, or a file. */
export function isLeftOut(site: string | undefined, ignore: readonly string[]): boolean {
  return site !== undefined && ignore.some((line) => site === line || site.startsWith(`${line}:`))
}

/** Where something stands in the source; empty where that is unknown. */
export const sourceLine: Column<{ readonly site?: string | undefined }> = {
  key: 'source line',
  of: ({ site }) => site ?? '',
}

/** What to write instead, as a table. */
export function rewritesSection({ rewrites, before, after, reference }: Rewriting): Section {
  const section = { id: 'rewrites', title: 'What to write instead' }
  if (rewrites.length === 0) {
    return { ...section, paragraphs: ['No known pattern here costs bits that its stable form keeps.'] }
  }
  return {
    ...section,
    finding: `${rewrites.length === 1 ? 'One rewrite brings' : `${rewrites.length} rewrites bring`} the outputs from ${readable(before.mean)} to ${readable(after.mean)} right bits of ${readable(before.of)} in the mean, beside ${reference === 'real' ? 'real numbers' : reference}.`,
    html: htmlTable(
      [
        { key: 'to', header: 'write', prose: true },
        { key: 'from', header: 'for', prose: true },
        sourceLine,
        { key: 'times', of: ({ steps }) => steps.length },
        { key: 'right bits, mean', of: ({ alone }) => `${readable(before.mean)} -> ${readable(alone.mean)}` },
        { key: 'worst element', of: ({ alone }) => `${readable(before.worst)} -> ${readable(alone.worst)}` },
        { key: 'where', prose: true, of: ({ operands }) => operands.join(', ') },
      ],
      rewrites,
    ),
  }
}

/** The verdict on a training step, as a sentence. */
export function trainingVerdict(training: TrainStepShadow): string {
  const [, verdict = ''] = /^verdict: (.*)$/m.exec(String(training)) ?? []
  return `${verdict[0]?.toUpperCase() ?? ''}${verdict.slice(1)}.`
}

/** What a training step did to its parameters, and how far its gradients are off. */
export function trainingSections(training: TrainStepShadow): Section[] {
  const { updates, gradients, gradientLines, constants } = training
  const sections: Section[] = [
    {
      id: 'updates',
      title: 'What the step did to its parameters',
      paragraphs: [
        'Elements that exact arithmetic would change and the step did not, and the share of the way that the leaf went; the same in the mean if the last rounding were stochastic.',
      ],
      html: htmlTable(
        [
          {
            key: 'leaf',
            of: ({ kind, name }) => (kind === 'state' ? `state ${name}` : name || 'the parameter'),
          },
          { key: 'tensor', of: ({ dtype, shape }) => `${dtype} [${shape.join(', ')}]` },
          { key: 'unchanged, %', of: (row) => percent(row.asked === 0 ? 0 : row.unchanged / row.asked) },
          { key: 'way gone, %', of: ({ moved }) => percent(moved) },
          {
            key: 'stochastic: unchanged, %',
            of: ({ changedStochastic, size }) => percent(1 - changedStochastic / Math.max(1, size)),
          },
          { key: 'way gone, %', of: ({ movedStochastic }) => percent(movedStochastic) },
          { key: 'ulps', header: 'median, ulps' },
          {
            ...{ key: 'written by', prose: true },
            of: ({ op, site }) => (op ? `${op}${site ? ` at ${site}` : ''}` : 'inside an optimizer'),
          },
        ],
        updates,
      ),
    },
  ]
  if (gradients.length > 0) {
    sections.push({
      id: 'gradients',
      title: 'Gradients against their own size',
      html: `${htmlTable(
        [
          { key: 'gradient of', of: ({ name }) => name || 'the parameter' },
          { key: 'rms', header: 'root mean square' },
          { key: 'error, %', of: ({ relative }) => percent(relative) },
          { key: 'worst element, %', of: ({ worst }) => percent(worst) },
          { key: 'cosine', header: 'cosine with the exact one', digits: 6 },
        ],
        gradients,
      )}<h3>Where their error comes from</h3>${htmlTable(
        [
          { key: 'name', header: 'operation' },
          sourceLine,
          { key: 'times', of: ({ steps }) => steps.length },
          { key: 'share of the mean square, %', of: ({ share }) => percent(share) },
        ],
        gradientLines.slice(0, 12),
      )}`,
    })
  }
  if (constants.length > 0) {
    sections.push({
      id: 'constants',
      title: 'Constants that rounding changed',
      html: htmlTable([{ key: 'text', header: 'constant', prose: true }, sourceLine], constants),
    })
  }
  return sections
}

function percent(share: number): number {
  return Number((100 * share).toPrecision(3))
}
