import { checkName, checkOptions, checkRecord, type OptionTable } from '../../base/options/index.js'
import { dtypeFacts, isFloat } from '../../tensors/tensor/index.js'
import type { Program } from '../program/program.js'
import { describeStep } from '../replay/checkRun.js'
import type { Shadow } from './shadow.js'

const box = { width: 132, height: 34, across: 18, down: 30 }

/** What the boxes are coloured by: errors as they are in the run, or what the output would gain. */
export interface ShadowGraphOptions {
  /** 'total': bits that a step's worst element is off; 'gain': bits that the output gains if the step is exact. Default 'total'. */
  readonly color?: 'total' | 'gain'
}

const shadowGraphNames: OptionTable<ShadowGraphOptions> = { color: 'optional' }

/**
 * The computation as a drawing, SVG text: a box for each step below what it reads, from white to red by lost bits. Hovering
 * tells the numbers.
 */
export function shadowGraph(shadow: Shadow, options: ShadowGraphOptions = {}): string {
  checkRecord('shadowGraph', 'shadow', shadow, ['program'])
  checkOptions('shadowGraph', options, shadowGraphNames)
  const { color = 'total' } = options
  checkName('shadowGraph', 'color', color, ['total', 'gain'])
  const { program } = shadow
  const lost = lostBits(shadow, color)
  const places = layout(program)
  const width = Math.max(1, ...places.map(({ x }) => x + box.width)) + box.across
  const height = Math.max(1, ...places.map(({ y }) => y + box.height)) + box.down
  const n = program.inputs.length
  const edges = program.steps.flatMap(({ operands }, i) =>
    operands.flatMap((operand) => {
      if (typeof operand !== 'number' || operand < n) return []
      const [from, to] = [places[operand - n]!, places[i]!]
      const [x1, y1, x2] = [from.x + box.width / 2, from.y + box.height, to.x + box.width / 2]
      return [`<path d="M${x1} ${y1} C${x1} ${y1 + 20} ${x2} ${to.y - 20} ${x2} ${to.y}"/>`]
    }),
  )
  const boxes = program.steps.map((step, i) => {
    const { x, y } = places[i]!
    const bits = lost[i]!
    const share = isFloat(step.output.dtype)
      ? Math.min(1, Math.max(0, bits) / dtypeFacts(step.output.dtype).precision)
      : 0
    const label = `${i} ${step.op.name}`
    const title = `${describeStep(step)}: ${bits.toFixed(2)} bits`
    return [
      `<g><title>${escaped(title)}</title>`,
      `<rect x="${x}" y="${y}" width="${box.width}" height="${box.height}" rx="4" fill="${fill(share)}"/>`,
      `<text x="${x + 6}" y="${y + 14}">${escaped(label)}</text>`,
      `<text x="${x + 6}" y="${y + 28}" class="bits">${bits.toFixed(2)} bits</text></g>`,
    ].join('')
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="operations coloured by lost bits">`,
    '<style>rect{stroke:#555}path{fill:none;stroke:#999}text{font:11px sans-serif;fill:#111}.bits{font-size:9px}</style>',
    ...edges,
    ...boxes,
    '</svg>',
  ].join('\n')
}

function lostBits(shadow: Shadow, color: 'total' | 'gain'): number[] {
  const bits = shadow.program.steps.map(() => 0)
  if (color === 'total') for (const { step, total } of shadow.operations()) bits[step] = total.max
  else for (const { step, gain, firstOrder } of shadow.contributions()) bits[step] = gain ?? firstOrder ?? 0
  return bits
}

/** From white to a red that black text is still read on. */
function fill(share: number): string {
  return `rgb(255,${Math.round(255 - 155 * share)},${Math.round(255 - 165 * share)})`
}

/** Each step below everything that it reads. */
function layout(program: Program): { x: number; y: number }[] {
  const n = program.inputs.length
  const rows: number[] = []
  const used: number[] = []
  return program.steps.map(({ operands }) => {
    const above = operands.map((operand) =>
      typeof operand === 'number' && operand >= n ? rows[operand - n]! + 1 : 0,
    )
    const row = Math.max(0, ...above)
    rows.push(row)
    const column = used[row] ?? 0
    used[row] = column + 1
    return {
      x: box.across + column * (box.width + box.across),
      y: box.down / 2 + row * (box.height + box.down),
    }
  })
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
