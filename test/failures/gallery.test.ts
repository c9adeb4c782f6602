import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FailureRun } from 'tpu-toolkit/failures'
import * as failures from 'tpu-toolkit/failures'
import { linePlot, scatterPlot } from 'tpu-toolkit/report'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { exhibit } from '../../src/cli/gallery/exhibit.js'
import { galleryMarkdown } from '../../src/cli/gallery/galleryMarkdown.js'
import { brokenExamples } from '../support/examples.js'
import { readText } from '../support/project.js'
import { runCli } from '../support/runCli.js'

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

// Everything below, the command and the page of the guide show the same runs: each is made once, and once more to see that it is the same.
const originals = gallery.map((failure) => failure.run.bind(failure))
for (const [i, failure] of gallery.entries()) {
  const runs = new Map<object | undefined, FailureRun>()
  vi.spyOn(failure, 'run').mockImplementation((options) => {
    const made = runs.get(options) ?? originals[i]!(options)
    runs.set(options, made)
    return made
  })
}
const folder = mkdtempSync(join(tmpdir(), 'gallery-'))
afterAll(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(gallery.map((failure, i) => [failure.id, failure, i] as const))('%s', (_, failure, i) => {
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
    expect(originals[i]!()).toEqual(run)
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

describe('the command and the pages', () => {
  it('the command prints a row and a verdict of every failure, writes the page, and ends with 0', async () => {
    const { status, out, error } = await runCli('gallery', '--out', folder)
    expect([status, error]).toEqual([0, ''])
    expect(out.split('\n')[0]).toMatch(/^id +title +naive +stable +verdict +repairs$/)
    const page = readFileSync(join(folder, 'index.html'), 'utf8')
    for (const { id, title, source } of gallery) {
      expect(out).toMatch(new RegExp(`^${id} .* holds +(\\d) of \\1$`, 'm'))
      expect(out).toMatch(new RegExp(`^${id}: .*[.]$`, 'm'))
      expect(page).toContain(`<section id="${id}">`)
      expect(page).toContain(`<a href="${source}">`)
      expect(page).toContain(`<h2>${title.replace('>', '&gt;').replace("'", '&#39;')}</h2>`)
    }
    // Each drawn twice: for wide screens and for narrow ones.
    expect(page.match(/<svg/g)?.length).toBe(2 * gallery.length)
    expect(out).toContain(`Written: ${join(folder, 'index.html')}\n`)
  })

  it('galleryMarkdown(every failure) is docs/failures.md (else: npm run --silent gallery -- --docs > docs/failures.md)', () => {
    expect(readText('docs/failures.md')).toBe(galleryMarkdown(gallery.map(exhibit)))
  })

  it('the examples in the docstrings of failures keep their promises', async () => {
    expect(await brokenExamples('experiments/failures')).toEqual([])
  })
})
