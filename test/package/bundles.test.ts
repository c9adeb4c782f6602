import { describe, expect, it } from 'vitest'
import { bundle } from '../../scripts/bundles.js'
import { root } from '../support/project.js'

const bundled = (code: string): string => bundle(code, root).text

describe('bundle(contents, folder)', () => {
  it('leaves out what is not used, and says which files are in it', () => {
    const { text, bytes, files } = bundle(
      "import { ulp } from './src/numbers/formats/index.js'\nconsole.log(ulp(1, 'bfloat16'))",
      root,
    )
    expect(bytes).toBe(new TextEncoder().encode(text).length)
    expect(files.filter((path) => path.includes('quantizeBlocks'))).toEqual([])
    expect(files.some((path) => path.endsWith('formats/ulp.ts'))).toBe(true)
  })

  it('throws where a bundle for a browser needs Node, and says what it needs', () => {
    const code = "import { readFileSync } from 'node:fs'\nconsole.log(readFileSync)"
    expect(() => bundled(code)).toThrow('Could not resolve "node:fs"')
    expect(bundle(code, root, 'node', 'esm').text).toContain('node:fs')
  })
})
