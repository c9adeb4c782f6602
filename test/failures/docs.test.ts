import { gallery } from 'tpu-toolkit/failures'
import { describe, expect, it } from 'vitest'
import { exhibit } from '../../src/cli/gallery/exhibit.js'
import { galleryMarkdown } from '../../src/cli/gallery/galleryMarkdown.js'
import { readText } from '../support/project.js'

describe('docs/failures.md', () => {
  it('galleryMarkdown(every failure) is the page (else: npm run --silent gallery -- --docs > docs/failures.md)', () => {
    expect(readText('docs/failures.md')).toBe(galleryMarkdown(gallery.map(exhibit)))
  })
})
