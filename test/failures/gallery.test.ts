import * as failures from 'tpu-toolkit/failures'
import { linePlot, scatterPlot } from 'tpu-toolkit/report'
import { describe, expect, it } from 'vitest'

const { gallery } = failures

/** The values inside nested plain objects and arrays; anything else is an error. */
function leaves(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(leaves)
  if (typeof value !== 'object' || value === null) return [value]
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  return Object.values(value).flatMap(leaves)
}

describe('gallery', () => {
  it('gallery holds what the door exports by name, all of it', () => {
    const byName = Object.values(failures).filter((value) => typeof value === 'object' && 'id' in value)
    expect(new Set(byName)).toEqual(new Set(gallery))
  })

  it('gallery has each failure once, by an id of plain words', () => {
    expect(new Set(gallery.map(({ id }) => id)).size).toBe(gallery.length)
    for (const { id } of gallery) expect(id).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)+$/)
    expect(new Set(gallery.map(({ title }) => title)).size).toBe(gallery.length)
  })

  it('every source is a URL of its own, a thread, a paper or documentation', () => {
    const hosts = ['github.com', 'arxiv.org', 'jax.readthedocs.io']
    for (const { source } of gallery) expect(hosts).toContain(new URL(source).host)
    expect(new Set(gallery.map(({ source }) => source)).size).toBe(gallery.length)
  })
})

describe.each(gallery.map((failure) => [failure.id, failure] as const))('%s', (_, failure) => {
  const run = failure.run()
  const repaired = failure.repairs.map(({ options }) => failure.run(options))

  it('tells its story and what its source says', () => {
    expect(failure.story.length).toBeGreaterThan(150)
    expect(failure.reported.length).toBeGreaterThan(80)
    for (const text of [failure.story, failure.reported, run.verdict.text]) expect(text).toMatch(/^\S.*[.]$/)
  })

  it('run().verdict holds', () => {
    expect(run.verdict.holds).toBe(true)
  })

  it('run(repair).verdict does not hold, whichever the repair, and says so in other words', () => {
    expect(repaired.length).toBeGreaterThan(0)
    expect(repaired.map(({ verdict }) => verdict.holds)).toEqual(repaired.map(() => false))
    for (const { verdict } of repaired) expect(verdict.text).not.toBe(run.verdict.text)
  })

  it('run() gives plain data, the same each time', () => {
    for (const leaf of leaves(run)) {
      expect(['number', 'string', 'boolean', 'undefined']).toContain(leaf === null ? 'number' : typeof leaf)
    }
    expect(failure.run()).toEqual(run)
  })

  it('run().figure is drawn by report, with every series and marker in it', () => {
    for (const { figure } of [run, ...repaired]) {
      const { kind, series, title, x, y, markers = [] } = figure
      const svg = (kind === 'line' ? linePlot : scatterPlot)(series, { title, x, y, markers })
      for (const { name, points } of figure.series) {
        expect(svg).toContain(name)
        expect(points.length).toBeGreaterThan(1)
        expect(points.length).toBeLessThan(600)
      }
      for (const { label } of figure.markers ?? []) expect(svg).toContain(label)
    }
  })
})
