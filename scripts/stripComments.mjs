/**
 * Takes the comments out of dist/**.js, where the declarations beside them have the same ones: a third of the package. Lines stay
 * where they are, so that source maps do too. Part of `prepack` and of `npm run check:package`; doing it again changes nothing.
 */
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const kept = /^\/\/#|[@#]__PURE__|^\/\*!/

for (const name of readdirSync('dist', { recursive: true })) {
  if (!name.endsWith('.js')) continue
  const path = join('dist', name)
  const text = readFileSync(path, 'utf8')
  const stripped = withoutComments(text)
  if (stripped === text) continue
  // In one piece: somebody may be reading it.
  writeFileSync(`${path}.stripped`, stripped)
  renameSync(`${path}.stripped`, path)
}

function withoutComments(text) {
  const source = ts.createSourceFile('file.js', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS)
  const comments = new Map()
  const visit = (node) => {
    const around = [
      ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
    ]
    for (const { pos, end } of around) if (!kept.test(text.slice(pos, end))) comments.set(pos, end)
    for (const child of node.getChildren(source)) if (child.kind !== ts.SyntaxKind.JSDoc) visit(child)
  }
  visit(source)
  let result = ''
  let from = 0
  for (const [pos, end] of [...comments].sort(([a], [b]) => a - b)) {
    if (pos < from) continue
    result += text.slice(from, pos) + text.slice(pos, end).replace(/[^\n]+/g, '')
    from = end
  }
  return result + text.slice(from)
}
