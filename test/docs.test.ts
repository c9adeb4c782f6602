import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { doors } from '../scripts/doors.js'
import { folderPath, internalFolders } from '../scripts/folders.js'
import { listedNames } from '../scripts/listedNames.js'
import { brokenExamples, brokenPromises, codeBlocks, examplesIn, keeps } from './support/examples.js'
import { filesUnder, readText, root } from './support/project.js'

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'src/README.md',
  ...filesUnder('docs', '.md'),
].filter((page) => !page.startsWith('docs/api/'))

// Those of failures stand in test/failures/gallery.test.ts, beside what runs them all.
const folders = [...doors.map((door) => door.folder), ...internalFolders].filter((one) => one !== 'failures')

describe.each(folders)('the examples in the docstrings of %s', (folder) => {
  it('keep their promises', async () => expect(await brokenExamples(folderPath(folder))).toEqual([]))
})

/** Runs modules beside it, one after another, and prints what each printed as JSON; waits for whatever they left running. */
const runner = `
const printed = {}
const write = process.stdout.write.bind(process.stdout)
let current
process.stdout.write = (text) => { current.out += text; return true }
process.stderr.write = (text) => { current.error += text; return true }
for (const name of process.argv.slice(2)) {
  current = printed[name] = { out: '', error: '' }
  try { await import('./' + name + '.js') } catch (error) { current.error += error.stack }
}
process.on('exit', () => write(JSON.stringify(printed)))
`

describe('the code of the pages', () => {
  const blocks = pages.flatMap((page) =>
    codeBlocks(readText(page)).map((block) => ({
      ...block,
      page,
      where: `${page}:${block.line}`,
      name: `${page.replace(/\W/g, '-')}-${block.line}`,
    })),
  )

  // Inside the checkout, so that `tpu-toolkit` is the package itself: what `npm run build` left in dist. All blocks run one
  // after another in one process, each with modules of its own but for the package's: to load those takes longer than a page.
  let folder = ''
  const printedBy = new Map<string, { out: string; error: string }>()
  beforeAll(() => {
    mkdirSync(`${root}build`, { recursive: true })
    folder = mkdtempSync(`${root}build/pages-`)
    for (const { name, code } of blocks) writeFileSync(join(folder, `${name}.ts`), code)
    writeFileSync(join(folder, 'run.mjs'), runner)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('type-checks against dist', () => {
    const program = ts.createProgram(
      blocks.map(({ name }) => join(folder, `${name}.ts`)),
      {
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
        strict: true,
        noUncheckedIndexedAccess: true,
        types: ['node'],
        skipLibCheck: true,
      },
    )
    expect(program.emit().emitSkipped).toBe(false)
    const said = ts.getPreEmitDiagnostics(program).map((diagnostic) => {
      const block = blocks.find(({ name }) => diagnostic.file?.fileName.endsWith(`/${name}.ts`))
      return `${block?.where ?? diagnostic.file?.fileName}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n')}`
    })
    expect(said).toEqual([])
  })

  it('all of it runs to its end', () => {
    const names = blocks.map(({ name }) => name)
    const run = spawnSync(process.execPath, [join(folder, 'run.mjs'), ...names], {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    })
    expect([run.stderr, run.status]).toEqual(['', 0])
    for (const [name, printed] of Object.entries(JSON.parse(run.stdout))) {
      printedBy.set(name, printed as never)
    }
  })

  it.each(blocks)('$where prints what its comments say', ({ name, printed }) => {
    const out = printed.map((line) => `${line}\n`).join('')
    expect(printedBy.get(name)).toEqual({ out, error: '' })
  })
})

describe('the pages', () => {
  const anchorsOf = (text: string): string[] => [
    ...[...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
      (title ?? '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
    ...[...text.matchAll(/^<a id="([\w-]+)"><\/a>$/gm)].map(([, id]) => id ?? ''),
  ]

  it.each(pages)('the internal links of %s lead somewhere', (page) => {
    const text = readText(page).replace(/^```[\s\S]*?^```$/gm, '')
    const dead = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link]) => link ?? '')
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [path = '', anchor] = link.split('#')
        const file = path === '' ? page : join(dirname(page), path)
        if (!existsSync(root + file)) return true
        return anchor !== undefined && !anchorsOf(readText(file)).includes(anchor)
      })
    expect(dead).toEqual([])
  })

  it.each(doors.map((door) => door.folder))('src/README.md has every name of %s once', (folder) => {
    const section = readText('src/README.md')
      .split(/^## /m)
      .find((part) => part.startsWith(`${folder}\n`))
    const mapped = [...(section ?? '').matchAll(/`([A-Za-z]\w*)`/g)].map(([, name]) => name ?? '')
    const names = listedNames(readText(`src/${folderPath(folder)}/index.ts`)).map((name) =>
      name.replace('type ', ''),
    )
    expect(mapped.sort()).toEqual(names.sort())
  })

  it('README.md has a command with what it prints before line 27, and an example in TypeScript before line 42', () => {
    const text = readText('README.md')
    const printed = /^```text\n[\s\S]*?^```$/m.exec(text)
    expect(printed && text.slice(0, printed.index + printed[0].length).split('\n').length).toBeLessThan(27)
    const [first] = codeBlocks(text)
    expect(first && first.line + first.code.split('\n').length).toBeLessThan(42)
    expect(first?.printed.length).toBeGreaterThan(0)
  })
})

describe('keeps(value, promise)', () => {
  it.each([
    [0x3f81, '0x3f81'],
    [-0, '-0'],
    [Number.NaN, 'NaN'],
    [new Float32Array([1, 2.5]), '[1, 2.5]'],
    [{ max: 1, at: [2] }, '{ max: 1, at: [2] }'],
    ['float32', "'float32'"],
    ['two words', 'two words'],
    [256n, '256n'],
  ])('%o is %s', (value, promise) => expect(keeps(value, promise)).toBe(true))

  it.each([
    [-0, '0'],
    [0, '-0'],
    [257, '256'],
    [new Float32Array([1, 2]), '[1, 3]'],
    ['a', 'b'],
  ])('%o is not %s', (value, promise) => expect(keeps(value, promise)).toBe(false))

  it('a docstring line without a promise, a wrong one and a thrown error are all told', () => {
    const [example] = examplesIn(
      '/**\n * Adds.\n *\n * @example f(1) // 2\n * f(2) // 4\n * f(3)\n * @param a x\n */',
    )
    const f = (x: number): number => x + 1
    expect(brokenPromises(example?.lines ?? [], { f })).toEqual([
      'f(2): 3, promised 4',
      'f(3): promises nothing; write the value after //',
    ])
    expect(brokenPromises([{ code: 'g()', promise: 'throws g is not defined' }], {})).toEqual([])
  })
})
