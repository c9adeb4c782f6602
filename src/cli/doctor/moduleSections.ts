import type { Rewriting, TrainStepShadow } from '../../precision/index.js'
import { htmlTable, type Section } from '../../report/index.js'
import { readable } from '../../text/index.js'

/** Whether a source line is one of those to be left out: `model.mjs:12`, or a file. */
export function isLeftOut(site: string | undefined, ignore: readonly string[]): boolean {
  return site !== undefined && ignore.some((line) => site === line || site.startsWith(`${line}:`))
}

/** What to write instead, as a table. */
export function rewritesSection({ rewrites, before, after, reference }: Rewriting): Section {
  const section = { id: 'rewrites', title: 'What to write instead' }
  if (rewrites.length === 0) {
    return {
      ...section,
      paragraphs: ['No known pattern here costs bits that its stable form keeps.'],
    }
  }
  const rows = rewrites.map(({ from, to, operands, site, steps, alone }) => ({
    to,
    from,
    site: site ?? '',
    times: steps.length,
    kept: `${readable(before.mean)} -> ${readable(alone.mean)}`,
    worst: `${readable(before.worst)} -> ${readable(alone.worst)}`,
    operands: operands.join(', '),
  }))
  return {
    ...section,
    finding: `${rewrites.length === 1 ? 'One rewrite brings' : `${rewrites.length} rewrites bring`} the outputs from ${readable(before.mean)} to ${readable(after.mean)} right bits of ${readable(before.of)} in the mean, beside ${reference === 'real' ? 'real numbers' : reference}.`,
    html: htmlTable(
      [
        { key: 'to', header: 'write', prose: true },
        { key: 'from', header: 'for', prose: true },
        { key: 'site', header: 'source line' },
        { key: 'times' },
        { key: 'kept', header: 'right bits, mean' },
        { key: 'worst', header: 'worst element' },
        { key: 'operands', header: 'where', prose: true },
      ],
      rows,
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
  const updateRows = updates.map((update) => ({
    leaf: update.kind === 'state' ? `state ${update.name}` : update.name || 'the parameter',
    tensor: `${update.dtype} [${update.shape.join(', ')}]`,
    unchanged: percent(update.asked === 0 ? 0 : update.unchanged / update.asked),
    moved: percent(update.moved),
    random: percent(1 - update.changedStochastic / Math.max(1, update.size)),
    far: percent(update.movedStochastic),
    ulps: update.ulps,
    line: update.op ? `${update.op}${update.site ? ` at ${update.site}` : ''}` : 'inside an optimizer',
  }))
  const sections: Section[] = [
    {
      id: 'updates',
      title: 'What the step did to its parameters',
      paragraphs: [
        'Elements that exact arithmetic would change and the step did not, and the share of the way that the leaf went; the same in the mean if the last rounding were stochastic.',
      ],
      html: htmlTable(
        [
          { key: 'leaf' },
          { key: 'tensor' },
          { key: 'unchanged', header: 'unchanged, %', digits: 3 },
          { key: 'moved', header: 'way gone, %', digits: 3 },
          { key: 'random', header: 'stochastic: unchanged, %', digits: 3 },
          { key: 'far', header: 'way gone, %', digits: 3 },
          { key: 'ulps', header: 'median, ulps', digits: 3 },
          { key: 'line', header: 'written by', prose: true },
        ],
        updateRows,
      ),
    },
  ]
  if (gradients.length > 0) {
    const rows = gradients.map(({ name, rms, relative, worst, cosine }) => ({
      name: name || 'the parameter',
      rms,
      relative: percent(relative),
      worst: percent(worst),
      cosine,
    }))
    const origins = gradientLines.slice(0, 12).map(({ name, site, steps, share }) => ({
      operation: name,
      site: site ?? '',
      times: steps.length,
      share: percent(share),
    }))
    sections.push({
      id: 'gradients',
      title: 'Gradients against their own size',
      html: `${htmlTable(
        [
          { key: 'name', header: 'gradient of' },
          { key: 'rms', header: 'root mean square', digits: 3 },
          { key: 'relative', header: 'error, %', digits: 3 },
          { key: 'worst', header: 'worst element, %', digits: 3 },
          { key: 'cosine', header: 'cosine with the exact one', digits: 6 },
        ],
        rows,
      )}<h3>Where their error comes from</h3>${htmlTable(
        [
          { key: 'operation' },
          { key: 'site', header: 'source line' },
          { key: 'times' },
          { key: 'share', header: 'share of the mean square, %', digits: 3 },
        ],
        origins,
      )}`,
    })
  }
  if (constants.length > 0) {
    sections.push({
      id: 'constants',
      title: 'Constants that rounding changed',
      html: htmlTable(
        [
          { key: 'text', header: 'constant', prose: true },
          { key: 'site', header: 'source line' },
        ],
        constants.map(({ text, site }) => ({ text, site: site ?? '' })),
      ),
    })
  }
  return sections
}

function percent(share: number): number {
  return Number((100 * share).toPrecision(3))
}
