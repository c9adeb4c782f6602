import { parseHTML } from 'linkedom'
import { timelinePlot } from 'tpu-toolkit/report'
import { describe, expect, it } from 'vitest'

const stretches = [
  { lane: 'host', start: 0, end: 10, label: 'batch 0' },
  { lane: 'copy', start: 10, end: 15, label: 'a & b' },
  { lane: 'host', start: 10, end: 11, label: 'batch 1' },
  { lane: 'compute', start: 15, end: 40 },
]
const options = { title: 'host "and" device', x: { label: 'ms' } }
const svg = timelinePlot(stretches, options)

function boxesOf(text: string): { left: number; wide: number; top: number; title: string }[] {
  const { document } = parseHTML(`<!doctype html><body>${text}</body>`)
  const found = [...document.querySelectorAll('rect')] as unknown as {
    getAttribute(name: string): string
    textContent: string
  }[]
  return found.map((box) => {
    const [left, wide, top] = ['x', 'width', 'y'].map((name) => Number(box.getAttribute(name)))
    return { left: left!, wide: wide!, top: top!, title: box.textContent }
  })
}

describe('timelinePlot', () => {
  it('timelinePlot gives the same bytes for the same input', () =>
    expect(timelinePlot(stretches, options)).toBe(svg))

  it('timelinePlot has room for the longest lane', () => {
    const wide = timelinePlot([{ lane: 'from the host to the device', start: 0, end: 1 }], options)
    expect(boxesOf(wide)[0]!.left).toBeGreaterThan(7 * 'from the host to the device'.length)
    expect(boxesOf(svg)[0]!.left).toBe(72)
  })

  it('timelinePlot draws a box for each stretch, to scale, in the row of its lane', () => {
    const [first, second, copy, compute] = boxesOf(svg) as [Box, Box, Box, Box]
    type Box = ReturnType<typeof boxesOf>[number]
    expect(boxesOf(svg)).toHaveLength(4)
    expect(copy.wide / first.wide).toBeCloseTo(0.5, 2)
    expect(compute.wide / first.wide).toBeCloseTo(2.5, 2)
    expect(copy.left).toBeCloseTo(first.left + first.wide, 1)
    expect(compute.left).toBeCloseTo(copy.left + copy.wide, 1)
    expect([second.top, copy.top > first.top, compute.top > copy.top]).toEqual([first.top, true, true])
    expect(copy.title).toBe('a & b')
  })

  it('timelinePlot writes a label where it fits, and escapes it', () => {
    const words = svg.replace(/<title>.*?<\/title>/g, '')
    expect(words).toContain('>batch 0</text>')
    expect(words).not.toContain('batch 1')
    expect(svg).toContain('a &amp; b')
    expect(svg).toContain('aria-label="host &quot;and&quot; device"')
  })

  it('timelinePlot takes the lanes in the order given, and none that is not', () => {
    const turned = boxesOf(timelinePlot(stretches, { ...options, lanes: ['compute', 'copy', 'host'] }))
    expect(turned[0]!.title).toBe('')
    expect(() => timelinePlot(stretches, { ...options, lanes: ['host'] })).toThrow(
      new RangeError('timelinePlot: no such lane [copy]'),
    )
  })

  it('timelinePlot of nothing is an empty axis', () => {
    expect(boxesOf(timelinePlot([], options))).toEqual([])
    expect(timelinePlot([], options)).not.toContain('NaN')
    expect(timelinePlot([{ lane: 'a', start: 1, end: 1 }], options)).not.toContain('NaN')
  })
})
