import { describe, expect, it } from 'vitest'
import { completedGallery } from '../../scripts/completedGallery.js'
import { completedDoor, withEveryName } from '../../scripts/shownNames.js'

const files: Readonly<Record<string, string>> = {
  'src/experiments/failures/gallery.ts':
    "import { a } from './a.js'\nimport type { F } from './record/f.js'\nimport { b } from './rl/b.js'\n",
  'src/experiments/failures/a.ts':
    'export interface AOptions {}\n\n/** A sum of `ones`. It stands still. */\nexport const a = 1\nexport const inner = 2\n',
  'src/experiments/failures/rl/b.ts':
    '/**\n * Rolls\n * out. More.\n */\nexport const b = 1\n\nexport interface BOptions {}\n',
  'src/experiments/failures/rl/c.ts': 'export const c = 1\n',
  'src/experiments/failures/index.ts':
    "// The door.\nexport { c } from './rl/c.js'\nexport { type AOptions } from './a.js'\n",
}
const read = (path: string): string => files[path] ?? ''
const index = completedDoor('failures', read, () => [])

describe('npm run doors', () => {
  it('completedGallery() lists every failure of the folder, behind the last of its room', () => {
    const failures: Readonly<Record<string, string>> = {
      'src/experiments/failures/gallery.ts':
        "import { a } from './a.js'\nimport { b } from './rl/b.js'\n\nexport const gallery: readonly Failure[] = [\n  a,\n  b,\n]\n",
      'src/experiments/failures/a.ts': 'export const a: Failure<O> = {}\n',
      'src/experiments/failures/c.ts': 'export const c: Failure<O> = {}\n',
      'src/experiments/failures/count.ts': 'export const count: number = 1\n',
      'src/experiments/failures/rl/b.ts': 'export const b: Failure = {}\n',
      'src/experiments/failures/rl/d.ts': 'export const d: Failure = {}\n',
    }
    const text = completedGallery(
      (path) => failures[path] ?? '',
      () => Object.keys(failures),
    )
    expect(text).toContain('[\n  a,\n  c,\n  b,\n  d,\n]')
    expect(text).toContain("import { d } from './rl/d.js'\n")
    expect(text).toContain("import { c } from './c.js'\n")
  })

  it("completedDoor(folder) adds what the folder's list has, in its line or behind its room, and nothing besides", () => {
    expect(index).toBe(
      "// The door.\nexport { c } from './rl/c.js'\nexport { b, type BOptions } from './rl/b.js'\nexport { type AOptions, a } from './a.js'\n",
    )
    expect(
      completedDoor(
        'failures',
        (path) => (path.endsWith('index.ts') ? index : read(path)),
        () => [],
      ),
    ).toBe(index)
  })

  it('withEveryName(map) puts a name behind its neighbour, else in a line with the first sentence said of it', () => {
    const map = '# Map\n\n## failures\n\nWhat failed.\n\n- **Runs**: `c`; more\n\n## tree\n\n`c`\n'
    const expected =
      '# Map\n\n## failures\n\nWhat failed.\n\n- **Runs**: `c`, `b`, `BOptions`; more\n- New: `AOptions`, `a`\n\n## tree\n\n`c`\n'
    expect(withEveryName(map, 'failures', index, read)).toBe(expected)
    expect(withEveryName(expected, 'failures', index, read)).toBe(expected)
    const alone = "export { a } from './a.js'\n"
    expect(withEveryName('## failures\n\nWhat.\n', 'failures', alone, read)).toBe(
      '## failures\n\nWhat.\n- A sum of ones: `a`\n',
    )
  })
})
