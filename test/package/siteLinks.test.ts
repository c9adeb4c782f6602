import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { brokenLinks } from '../../scripts/siteLinks.js'

describe('brokenLinks(folder)', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'site-'))
    mkdirSync(join(folder, 'guides'))
    writeFileSync(join(folder, 'style.css'), '')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  const page = (path: string, body: string): void =>
    writeFileSync(join(folder, path), `<!doctype html><html><body>${body}</body></html>`)

  it('follows links to pages, places, other files and images, and no link to another site', () => {
    page(
      'index.html',
      '<a href="guides/a.html">a</a> <a href="guides/a.html#one">1</a> <a href="#here">h</a> <p id="here">',
    )
    page(
      'guides/a.html',
      '<h2 id="one">1</h2> <a href="../index.html?q=1">up</a> <a href="../style.css">s</a> <a href="https://example.org/x#y">x</a>',
    )
    expect(brokenLinks(folder)).toEqual({ followed: 5, broken: [] })
  })

  it('tells of a page, a place and an image that are not there', () => {
    page('index.html', '<a href="b.html">b</a> <a href="guides/a.html#two">2</a> <img src="no.svg">')
    page('guides/a.html', '<h2 id="one">1</h2> <a href="#e%C3%A9">e</a>')
    expect(brokenLinks(folder).broken.sort()).toEqual([
      'guides/a.html: #e%C3%A9',
      'index.html: b.html',
      'index.html: guides/a.html#two',
      'index.html: no.svg',
    ])
  })
})
