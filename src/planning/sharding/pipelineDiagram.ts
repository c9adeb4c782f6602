import { type PipelineTimetableOptions, pipelineTimetable } from './pipelineTimetable.js'

const rowHeight = 26
const left = 64
const room = 720

/**
 * A step of a pipeline as an SVG: a row for each stage, a box for each pass with its microbatch, white where a stage waits.
 *
 * Throws    as `pipelineTimetable`.
 *
 * @example pipelineDiagram({ stages: 4, microbatches: 8 }).startsWith('<svg') // true
 */
export function pipelineDiagram(options: PipelineTimetableOptions): string {
  const { schedule, stages, makespan } = pipelineTimetable(options)
  const each = room / makespan
  const rows = stages.map((operations, stage) => {
    const y = stage * rowHeight
    const boxes = operations.map(({ pass, microbatch, group, start, end }) => {
      const [x, width] = [left + start * each, (end - start) * each]
      const label =
        width < 14
          ? ''
          : `<text x="${round(x + width / 2)}" y="${y + 16}" text-anchor="middle" fill="#000">${microbatch + 1}</text>`
      return `<rect x="${round(x)}" y="${y + 2}" width="${round(width)}" height="${rowHeight - 4}" fill="${colourOf(pass, group)}" stroke="#333" stroke-width="0.5"/>${label}`
    })
    return `<g><text x="0" y="${y + 16}">stage ${stage + 1}</text>${boxes.join('')}</g>`
  })
  const y = stages.length * rowHeight + 8
  const legend = (['forward', 'backward'] as const).map(
    (pass, i) =>
      `<g><rect x="${left + i * 120}" y="${y}" width="14" height="14" fill="${colourOf(pass, 0)}"/><text x="${left + 20 + i * 120}" y="${y + 12}">${pass}</text></g>`,
  )
  const { schedule: name, microbatches, virtual, idleShare } = schedule
  const title = `${name}: ${stages.length} stages, ${microbatches} microbatches${virtual > 1 ? `, ${virtual} groups of layers in each stage, the later ones darker` : ''}; a stage waits ${(100 * idleShare).toFixed(1)} % of the step`
  const [w, h] = [left + room + 4, y + 20]
  return `<svg fill="currentColor" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" role="img" font-family="sans-serif" font-size="11"><title>${title}</title>${[...rows, ...legend].join('')}</svg>`
}

const round = (value: number): number => Number(value.toFixed(2))

/** Blue forward and orange backward (Okabe and Ito, 2008), later groups of layers darker. */
function colourOf(pass: 'forward' | 'backward', group: number): string {
  const light = Math.max(35, 75 - 13 * group)
  return pass === 'forward' ? `hsl(202 90% ${light}%)` : `hsl(36 95% ${light}%)`
}
