import { parseHTML } from 'linkedom'
import { graphPlot } from 'tpu-toolkit/report'
import { describe, expect, it } from 'vitest'

const nodes = [
  { id: 'x', lines: ['input', 'bfloat16 [8]'] },
  { id: 'a', lines: ['0 exp'], shade: 1, title: '3 bits' },
  { id: 'b', lines: ['1 <sum>'] },
  { id: 'c', lines: ['2 div'] },
]
const edges = [
  { from: 'x', to: 'a' },
  { from: 'a', to: 'b' },
  { from: 'b', to: 'c' },
  { from: 'a', to: 'c' },
]

describe('graphPlot', () => {
  const svg = graphPlot(nodes, edges, { title: 'a & b' })
  const { document } = parseHTML(`<html><body>${svg}</body></html>`)
  const boxes = [...document.querySelectorAll('rect')].map((box) => {
    const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => Number(box.getAttribute(name)))
    return { x: x!, y: y!, width: width!, height: height! }
  })

  it('graphPlot draws a box a node, below what it comes from, none on another', () => {
    expect(boxes).toHaveLength(nodes.length)
    for (const { from, to } of edges) {
      const [above, below] = [from, to].map((id) => boxes[nodes.findIndex((node) => node.id === id)]!)
      expect(below!.y).toBeGreaterThanOrEqual(above!.y + above!.height)
    }
  })
  it('graphPlot draws an arrow an edge', () =>
    expect(document.querySelectorAll('path[marker-end]')).toHaveLength(edges.length))
  it('graphPlot escapes its texts, and gives the same bytes again', () => {
    expect(svg).toContain('1 &lt;sum&gt;')
    expect(svg).toContain('aria-label="a &amp; b"')
    expect(graphPlot(nodes, edges, { title: 'a & b' })).toBe(svg)
  })
  it('graphPlot takes a graph without nodes', () =>
    expect(graphPlot([], [], { title: 't' })).not.toContain('NaN'))
})
