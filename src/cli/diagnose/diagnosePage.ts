import { basename, resolve } from 'node:path'
import { readable } from '../../base/text/index.js'
import { type Figure, htmlPage, htmlTable, lineFigure } from '../../report/index.js'
import type { Diagnosis, RunRecord } from '../../training/profile/index.js'
import { lookedText, problemColumns, problemRow, verdictOf } from './diagnoseText.js'

/** Metrics that are drawn, where a run has them, and what their axes say. */
const drawn: Readonly<Record<string, string>> = {
  loss: 'loss',
  gradNorm: 'norm of the gradients',
  unchanged: 'share of the parameters that stand still',
  updatesLost: 'share of the updates that change nothing',
  lossScale: 'loss scale',
  codebookUsage: 'share of the codes that are used',
  stepSeconds: 'seconds of a step',
  programs: 'programs recorded',
}

/** More points than this cannot be distinguished in the picture. */
const points = 600

/** A diagnosis as a page: the problems, the numbers that show them, what was looked at. */
export function diagnosePage(folder: string, diagnosis: Diagnosis, run: RunRecord): string {
  const { problems, steps, to } = diagnosis
  const figures = Object.entries(drawn).flatMap(([name, label]) => figureOf(run, name, label))
  return htmlPage({
    title: `Diagnosis: ${basename(resolve(folder))}`,
    lead: 'What is wrong with a run, from what it left behind.',
    facts: { samples: readable(steps), 'last step': readable(to), problems: readable(problems.length) },
    sections: [
      {
        id: 'problems',
        title: 'Problems',
        finding: verdictOf(diagnosis),
        ...(problems.length > 0 ? { html: htmlTable(problemColumns, problems.map(problemRow)) } : {}),
      },
      ...(figures.length > 0 ? [{ id: 'numbers', title: 'The numbers', figures }] : []),
      { id: 'looked', title: 'What was looked at', paragraphs: lookedText(diagnosis) },
    ],
    foot: 'Written by tpu-toolkit diagnose.',
  })
}

function figureOf({ samples }: RunRecord, name: string, label: string): readonly Figure[] {
  const all = samples.flatMap(({ step, values }) => {
    const y = values[name]
    return y === undefined ? [] : [{ x: step, y }]
  })
  if (all.length < 2) return []
  const every = Math.ceil(all.length / points)
  // The first value of those that are not finite is always drawn: it is what one looks for.
  const breaks = (i: number): boolean => !Number.isFinite(all[i]!.y) && Number.isFinite(all[i - 1]?.y ?? 0)
  const shown = all.filter(({ y }, i) =>
    Number.isFinite(y) ? i % every === 0 || i === all.length - 1 : breaks(i),
  )
  const caption = `${name}, ${readable(all.length)} values${every > 1 ? `, one in ${every} drawn` : ''}.`
  const series = { name, color: 'blue', points: shown, dots: false } as const
  return [
    lineFigure([series], {
      title: label,
      caption,
      x: { label: 'step' },
      y: { label, scale: scaleOf(shown) },
    }),
  ]
}

/** Values that differ by more than this factor are drawn on a logarithmic axis, where all but a few are positive. */
const wide = 1e4

function scaleOf(points: readonly { readonly y: number }[]): 'linear' | 'log10' {
  const sizes = points.map(({ y }) => y).filter((y) => Number.isFinite(y) && y !== 0)
  if (sizes.length === 0 || sizes.some((y) => y < 0)) return 'linear'
  return Math.max(...sizes) > wide * Math.min(...sizes) ? 'log10' : 'linear'
}
