import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { codeBlocks } from './support/examples.js'
import { filesUnder, readText } from './support/project.js'

interface Notebook {
  readonly cells: readonly { readonly cell_type: string; readonly source: readonly string[] }[]
}

/** What of a text is cast: `x as T` and `<T>x`, but for `x as const`. */
function castsIn(code: string): string[] {
  const file = ts.createSourceFile('example.ts', code, ts.ScriptTarget.ES2022)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (
      (ts.isAsExpression(node) && !ts.isConstTypeReference(node.type)) ||
      ts.isTypeAssertionExpression(node)
    ) {
      found.push(node.getText(file))
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

const examples = [
  ...['README.md', 'CONTRIBUTING.md', 'src/README.md', ...filesUnder('docs', '.md')]
    .filter((page) => !page.startsWith('docs/api/'))
    .flatMap((page) =>
      codeBlocks(readText(page)).map(({ code, line }) => ({ where: `${page}:${line}`, code })),
    ),
  ...filesUnder('notebooks', '.ipynb').flatMap((path) => {
    const { cells }: Notebook = JSON.parse(readText(path))
    return cells
      .map(({ cell_type, source }, i) => ({ where: `${path}, cell ${i}`, cell_type, code: source.join('') }))
      .filter(({ cell_type }) => cell_type === 'code')
  }),
]

describe('the examples of the pages and the notebooks', () => {
  it('need no cast: the types know what comes out', () => {
    expect(examples.length).toBeGreaterThan(100)
    expect(examples.flatMap(({ where, code }) => castsIn(code).map((cast) => `${where}: ${cast}`))).toEqual(
      [],
    )
  })

  it('would be found with one', () => {
    expect(castsIn("const x = f(y as const, z as string, 'is as good as')\nimport * as t from 't'")).toEqual([
      'z as string',
    ])
    expect(castsIn('const x = <number>f(y)')).toEqual(['<number>f(y)'])
  })
})
