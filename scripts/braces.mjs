/**
 * Part of `npm run lint`: a body without braces stands whole on its own line, and the branches of one `if` are alike.
 * Biome has a rule for braces everywhere or nowhere, not for this one. `node scripts/braces.mjs` names each place.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import ts from 'typescript'

const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs'], { encoding: 'utf8' }).trim().split('\n')
let wrong = 0

for (const file of files) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line
  const say = (body, problem) => {
    wrong++
    console.error(`${file}:${lineOf(body.getStart()) + 1}: ${problem}`)
  }
  const onOneLine = (before, body) =>
    lineOf(before) === lineOf(body.getStart()) && lineOf(body.getStart()) === lineOf(body.getEnd())

  const visit = (node) => {
    if (ts.isIfStatement(node)) {
      const bodies = branchesOf(node)
      const isElseIf = ts.isIfStatement(node.parent) && node.parent.elseStatement === node
      if (!isElseIf && new Set(bodies.map(([, body]) => ts.isBlock(body))).size > 1) {
        say(node, 'some branches of this if have braces and some have none')
      }
    }
    for (const [before, body] of bodiesOf(node)) {
      if (!ts.isBlock(body) && !onOneLine(before, body)) {
        say(body, 'this body takes more than a line and has no braces')
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
}
if (wrong > 0) process.exitCode = 1

/** Position before a body, and the body, for each branch of a whole chain of ifs. */
function branchesOf(node) {
  const own = [[node.expression.end, node.thenStatement]]
  if (!node.elseStatement) return own
  if (ts.isIfStatement(node.elseStatement)) return [...own, ...branchesOf(node.elseStatement)]
  return [...own, [node.elseStatement.pos, node.elseStatement]]
}

function bodiesOf(node) {
  if (ts.isIfStatement(node)) return branchesOf(node)
  const loops = [ts.isForStatement, ts.isForOfStatement, ts.isForInStatement, ts.isWhileStatement]
  return loops.some((is) => is(node)) ? [[node.statement.pos, node.statement]] : []
}
