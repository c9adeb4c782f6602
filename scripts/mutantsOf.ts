import ts from 'typescript'

/** A file with one small mistake in it. */
export interface Mutant {
  /** Its path below src. */
  readonly file: string
  readonly line: number
  /** That line as it is without the mistake. */
  readonly source: string
  /** What was done, in words. */
  readonly what: string
  /** The row of a table that has it. */
  readonly row?: string
  /** The whole file. */
  readonly text: string
}

const exchanged: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.SlashToken, '*'],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
])

/**
 * The mutants of a source file. Of tables: an entry replaced by its neighbour, or taken out ('none'), a name left out of a list. Else: an operator
 * exchanged, a number one larger, a condition turned round.
 */
export function mutantsOf(file: string, source: string, tables: boolean): Mutant[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.ES2022, true)
  const lines = source.split('\n')
  const found: Mutant[] = []
  const replace = (node: ts.Node, by: string, what: string, row?: string): void => {
    const [start, end] = [node.getStart(tree), node.getEnd()]
    const { line } = tree.getLineAndCharacterOfPosition(start)
    const text = source.slice(0, start) + by + source.slice(end)
    found.push({ file, line: line + 1, source: lines[line]!.trim(), what, text, ...(row && { row }) })
  }

  const shown = (node: ts.Node): string => {
    const text = node.getText(tree).replace(/\s+/g, ' ')
    return text.length > 60 ? `${text.slice(0, 60)}...` : text
  }

  const entries = (table: ts.ObjectLiteralExpression): void => {
    const rows = rowsOf(table)
    for (const [i, row] of rows.entries()) {
      const name = row.name.getText(tree)
      const other = rows[(i + 1) % rows.length]!
      const [own, next] = [row.initializer.getText(tree), other.initializer.getText(tree)]
      if (own !== next) replace(row.initializer, next, `${name} is ${other.name.getText(tree)}'s`, name)
      if (own !== "'none'") replace(row.initializer, "'none' as never", `${name} is taken out`, name)
    }
  }

  /** Those of object literals spread into it, too. */
  const rowsOf = (table: ts.ObjectLiteralExpression): ts.PropertyAssignment[] =>
    table.properties.flatMap((row) => {
      if (ts.isPropertyAssignment(row)) return [row]
      return ts.isSpreadAssignment(row) && ts.isObjectLiteralExpression(row.expression)
        ? rowsOf(row.expression)
        : []
    })

  /** The names in the lists that a part of a table is made of, any of which may be missing. */
  const names = (part: ts.Node): void => {
    if (ts.isArrayLiteralExpression(part)) {
      for (const name of part.elements.filter(ts.isStringLiteral)) {
        replace(name, '...[]', `${name.text} is left out`, name.text)
      }
    }
    ts.forEachChild(part, names)
  }

  const visit = (node: ts.Node): void => {
    // A number in a type is no mistake that a test could see.
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return
    if (tables) {
      if (
        ts.isVariableDeclaration(node) &&
        node.initializer &&
        ts.isObjectLiteralExpression(node.initializer) &&
        node.initializer.properties.length > 4
      ) {
        entries(node.initializer)
        for (const part of node.initializer.properties.filter(ts.isSpreadAssignment)) names(part)
      }
    } else if (ts.isBinaryExpression(node)) {
      const by = exchanged.get(node.operatorToken.kind)
      const operator = node.operatorToken.getText(tree)
      if (by) replace(node.operatorToken, by, `${operator} is ${by} in ${shown(node)}`)
    } else if (ts.isNumericLiteral(node)) {
      replace(node, `(${node.text} + 1)`, `${node.text} is one more in ${shown(node.parent)}`)
    } else if (ts.isIfStatement(node)) {
      replace(node.expression, `!(${node.expression.getText(tree)})`, `not ${shown(node.expression)}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}
