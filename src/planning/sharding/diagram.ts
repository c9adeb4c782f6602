import { checkArray, checkRecord, checkText } from '../../base/options/index.js'
import { deviceSlices } from './deviceSlices.js'
import { checkMesh, checkShape, type Mesh } from './mesh.js'
import { checkSpec, type PartitionSpec } from './spec.js'
import type { ParameterSharding, StrategyTable } from './strategy.js'

/** Colours by axis: those of a page of a report, light and dark, where the drawing is in one; whole parts are grey. */
const colours = [
  'var(--series-blue, #1f5fbf)',
  'var(--series-orange, #a8540a)',
  'var(--series-green, #2a7534)',
  'var(--series-pink, #b02a7c)',
  'var(--series-teal, #0b7077)',
  'var(--series-red, #c0272d)',
  'var(--series-purple, #7a3fb0)',
]
const grey = 'var(--rule, #bbbbbb)'
const width = 220
const rowHeight = 34

const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')

/**
 * Which device holds what of an array, as an SVG: the last two dimensions as a rectangle (one as a strip), cut into parts that name
 * their devices. Dimensions in front are shown at their first part.
 *
 * Throws    as `shardShape`.
 *
 * @example shardingDiagram(mesh({ shape: [2], axisNames: ['x'] }), ['x'], [4]).startsWith('<svg') // true
 */
export function shardingDiagram(mesh: Mesh, spec: PartitionSpec, arrayShape: readonly number[]): string {
  const slices = deviceSlices(mesh, spec, arrayShape)
  const numbers = [...mesh.devices].sort((a, b) => a - b)
  const [rows, columns] = arrayShape.length > 1 ? arrayShape.slice(-2) : [1, arrayShape[0] ?? 1]
  const parts = new Map<string, { at: readonly (readonly [number, number])[]; devices: number[] }>()
  slices.forEach((slice, i) => {
    if (slice.slice(0, -2).some(([start]) => start > 0)) return
    const at = slice.length > 1 ? slice.slice(-2) : ([[0, 1], slice[0] ?? [0, 1]] as const)
    const part = parts.get(at.join()) ?? { at, devices: [] }
    part.devices.push(numbers[i]!)
    parts.set(at.join(), part)
  })
  const height = 160
  const [down, across] = [height / Math.max(1, rows!), (2 * width) / Math.max(1, columns!)]
  const boxes = [...parts.values()].map(({ at, devices }, i) => {
    const [[top, bottom], [left, right]] = at as [readonly [number, number], readonly [number, number]]
    const [x, y, w, h] = [left * across, top * down, (right - left) * across, (bottom - top) * down]
    const said =
      devices.length > 6 ? `${devices.slice(0, 5).join(' ')} … (${devices.length})` : devices.join(' ')
    return `<g><rect x="${x}" y="${y}" width="${w}" height="${h}" fill="${colours[i % colours.length]}" fill-opacity="0.25" stroke="currentColor" stroke-opacity="0.5"/><text x="${x + w / 2}" y="${y + h / 2 + 4}" text-anchor="middle">${said}</text></g>`
  })
  const title = `[${arrayShape.join(', ')}] by ${JSON.stringify(spec)} on ${mesh.axisNames.map((name, i) => `${name} ${mesh.shape[i]}`).join(', ')}`
  return svg(2 * width, height, title, boxes)
}

/**
 * A strategy as an SVG: one strip for each kind of parameter, cut where an axis splits a dimension, with its spec.
 *
 * @example const devices = mesh({ shape: [2, 2], axisNames: ['fsdp', 'tensor'] })
 * const table = shardingStrategy(devices, { family: 'gpt2', D: 768, L: 12 }, { strategy: ['fsdp', 'tensor'] })
 * strategyDiagram(table).includes('layer.mlp.up') // true
 */
export function strategyDiagram(table: StrategyTable): string {
  checkRecord('strategyDiagram', 'table', table, ['mesh', 'parameters'])
  const { mesh, parameters } = table
  checkMesh('strategyDiagram', mesh)
  checkArray('strategyDiagram', 'parameters', parameters)
  for (const parameter of parameters) checkParameter(mesh, parameter)
  const rows = parameters.map((parameter, i) => strip(mesh, parameter, i * rowHeight))
  const legend = mesh.axisNames.map(
    (name, i) =>
      `<g><rect x="${i * 120}" y="${parameters.length * rowHeight + 6}" width="14" height="14" fill="${colourOf(mesh, name)}"/><text x="${i * 120 + 20}" y="${parameters.length * rowHeight + 18}">${escaped(name)} ${mesh.shape[i]}</text></g>`,
  )
  const title = `parameters on ${mesh.axisNames.map((name, i) => `${name} ${mesh.shape[i]}`).join(', ')}`
  return svg(3.4 * width, parameters.length * rowHeight + 26, title, [...rows, ...legend])
}

/** Throws unless a row of the table is one that `shardingStrategy` makes. */
function checkParameter(mesh: Mesh, parameter: ParameterSharding): void {
  const op = 'strategyDiagram'
  checkRecord(op, 'a parameter', parameter, ['name', 'axes', 'shape', 'spec', 'notes'])
  checkText(op, 'the name of a parameter', parameter.name)
  checkShape(op, parameter.name, parameter.shape)
  checkSpec(op, mesh, parameter.spec)
  for (const list of ['axes', 'notes'] as const) {
    checkArray(op, `${list} of ${parameter.name}`, parameter[list])
    for (const text of parameter[list]) checkText(op, `an entry of ${list} of ${parameter.name}`, text)
  }
  if (parameter.axes.length !== parameter.shape.length) {
    throw new RangeError(
      `${op}: axes of ${parameter.name} are not as many as its dimensions [${parameter.axes.length} and ${parameter.shape.length}]`,
    )
  }
}

function strip(mesh: Mesh, { name, axes, shape, spec, notes }: ParameterSharding, y: number): string {
  const left = 200
  const each = width / Math.max(1, shape.length)
  const cells = shape.map((size, d) => {
    const axis = typeof spec[d] === 'string' ? spec[d] : undefined
    const ways = axis === undefined ? 1 : Math.min(16, mesh.shape[mesh.axisNames.indexOf(axis)]!)
    const cuts = Array.from({ length: ways - 1 }, (_, i) => {
      const x = left + d * each + ((i + 1) * (each - 4)) / ways
      return `<line x1="${x}" y1="${y + 4}" x2="${x}" y2="${y + 24}" stroke="var(--plot-background, white)"/>`
    })
    const fill = axis === undefined ? grey : colourOf(mesh, axis)
    return `<rect x="${left + d * each}" y="${y + 4}" width="${each - 4}" height="20" fill="${fill}"/>${cuts.join('')}<text x="${left + d * each + 4}" y="${y + 18}" fill="currentColor" stroke="var(--plot-background, white)" stroke-width="3" paint-order="stroke">${escaped(axes[d]!)} ${size}</text>`
  })
  const said = `${JSON.stringify(spec)}${notes.length === 0 ? '' : ' *'}`
  const why = notes.length === 0 ? '' : `<title>${escaped(notes.join('; '))}</title>`
  return `<g>${why}<text x="0" y="${y + 18}">${escaped(name)}</text>${cells.join('')}<text x="${left + width + 8}" y="${y + 18}">${escaped(said)}</text></g>`
}

const colourOf = ({ axisNames }: Mesh, axis: string): string =>
  colours[axisNames.indexOf(axis) % colours.length]!

function svg(w: number, h: number, title: string, parts: readonly string[]): string {
  return `<svg fill="currentColor" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" role="img" font-family="sans-serif" font-size="11"><title>${escaped(title)}</title>${parts.join('')}</svg>`
}
