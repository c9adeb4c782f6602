/**
 * Makes dist/**.js smaller for those who bundle it. Takes the comments out, where the declarations beside them have the same ones: a
 * third of the package. Marks the calls that make a module's constants as pure, which `"sideEffects": false` claims of the whole
 * package, so that a bundler drops constants that nothing uses. Lines stay where they are. Part of `prepack` and of
 * `npm run check:package`; doing it again changes nothing.
 */
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

const pure = '/*#__PURE__*/ '
const kept = /^\/\/#|[@#]__PURE__|^\/\*!/

for (const name of readdirSync('dist', { recursive: true })) {
  if (!name.endsWith('.js')) continue
  const path = join('dist', name)
  const text = readFileSync(path, 'utf8')
  const slim = withPureCalls(withoutComments(text))
  if (slim === text) continue
  // In one piece: somebody may be reading it.
  writeFileSync(`${path}.slim`, slim)
  renameSync(`${path}.slim`, path)
}

function parsed(text) {
  return ts.createSourceFile('file.js', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS)
}

function withoutComments(text) {
  const source = parsed(text)
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

/** Calls in the initial values of a module's constants, but for those in functions, which run later. */
function withPureCalls(text) {
  const source = parsed(text)
  const starts = new Set()
  const visit = (node) => {
    if (ts.isFunctionLike(node) || ts.isClassLike(node)) return
    const start = node.getStart(source)
    const isCall = ts.isCallExpression(node) || ts.isNewExpression(node)
    if (isCall && !text.slice(0, start).endsWith(pure)) starts.add(start)
    ts.forEachChild(node, visit)
  }
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement)) continue
    for (const { initializer } of statement.declarationList.declarations) if (initializer) visit(initializer)
  }
  let result = text
  for (const start of [...starts].sort((a, b) => b - a)) {
    result = result.slice(0, start) + pure + result.slice(start)
  }
  return result
}
