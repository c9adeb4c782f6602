import * as dagre from '@dagrejs/dagre'
import { checkArray, checkOptions } from '../base/options/index.js'
import { escapeHtml } from './escapeHtml.js'
import { seriesPaint } from './palette.js'
import { textWidth } from './textWidth.js'

/** A box of a graph. */
export interface PlotNode {
  readonly id: string
  /** The lines in the box, the first of them bold. */
  readonly lines: readonly string[]
  /** How strongly it is coloured, from 0 to 1. Default 0. */
  readonly shade?: number
  /** Shown by browsers that hover over it. */
  readonly title?: string
}

/** An arrow from one box to another. */
export interface PlotEdge {
  readonly from: string
  readonly to: string
}

/** The options of a graph. */
export interface GraphPlotOptions {
  /** Read out by screen readers. */
  readonly title: string
}

const line = 16
const pad = 10

/**
 * Boxes below what they come from, joined by arrows that go around the boxes between, as a self-contained SVG text. The same
 * input gives the same bytes.
 *
 * @example graphPlot([{ id: 'a', lines: ['add'] }], [], { title: 't' }).slice(0, 4) // '<svg'
 */
export function graphPlot(
  nodes: readonly PlotNode[],
  edges: readonly PlotEdge[],
  options: GraphPlotOptions,
): string {
  checkArray('graphPlot', 'nodes', nodes)
  checkArray('graphPlot', 'edges', edges)
  checkOptions('graphPlot', options, { title: 'required' })
  const { title } = options
  const graph = new dagre.Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'TB', nodesep: 22, ranksep: 34, marginx: 4, marginy: 4 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id, lines } of nodes) {
    const width = 2 * pad + Math.max(...lines.map((text, i) => textWidth(text) * (i === 0 ? 1.1 : 1)))
    graph.setNode(id, { width: Math.ceil(width), height: line * lines.length + pad })
  }
  edges.forEach(({ from, to }, i) => void graph.setEdge(from, to, {}, String(i)))
  dagre.layout(graph)
  const arrows = edges.map(({ from, to }, i) => path(graph.edge(from, to, String(i)).points ?? []))
  const boxes = nodes.map((node) => box(node, graph.node(node.id)))
  const { width = 0, height = 0 } = graph.graph()
  const size = `width="${fixed(width)}" height="${fixed(height)}" viewBox="0 0 ${fixed(width)} ${fixed(height)}"`
  const tip =
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0 L8 4 L0 8 z" fill="currentColor" fill-opacity="0.6"></path></marker></defs>'
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escapeHtml(title)}" font-family="system-ui, sans-serif" font-size="12">${tip}${arrows.join('')}${boxes.join('')}</svg>`
}

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

function box({ lines, shade = 0, title }: PlotNode, { x, y, width, height }: Box): string {
  const [left, top] = [x - width / 2, y - height / 2]
  const place = `x="${fixed(left)}" y="${fixed(top)}" width="${fixed(width)}" height="${fixed(height)}" rx="5"`
  const frame = `<rect ${place} fill="${seriesPaint('red')}" fill-opacity="${fixed(0.6 * shade)}" stroke="currentColor" stroke-opacity="0.5"></rect>`
  const texts = lines.map(
    (text, i) =>
      `<text x="${fixed(x)}" y="${fixed(top + pad / 2 + line * i + 12)}" text-anchor="middle" fill="currentColor" font-weight="${i === 0 ? 600 : 400}">${escapeHtml(text)}</text>`,
  )
  const hover = title === undefined ? '' : `<title>${escapeHtml(title)}</title>`
  return `<g>${hover}${frame}${texts.join('')}</g>`
}

/** A smooth way through the points: straight to the middles between them, bent at the points. */
function path(points: readonly { readonly x: number; readonly y: number }[]): string {
  const at = ({ x, y }: { readonly x: number; readonly y: number }): string => `${fixed(x)} ${fixed(y)}`
  const [first, ...rest] = points
  const last = rest.at(-1)
  if (!first || !last) return ''
  const bends = rest.slice(0, -1).map((point, i) => {
    const next = rest[i + 1]!
    return `Q${at(point)} ${at(i === rest.length - 2 ? next : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 })}`
  })
  return `<path d="M${at(first)} ${bends.join(' ')}${bends.length === 0 ? `L${at(last)}` : ''}" fill="none" stroke="currentColor" stroke-opacity="0.45" stroke-width="1.25" marker-end="url(#tip)"></path>`
}

const fixed = (pixels: number): string => String(Number(pixels.toFixed(1)))
