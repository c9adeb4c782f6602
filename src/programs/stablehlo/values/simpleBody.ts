import type { Region } from '../module.js'

/**
 * What a region of two scalars does, where that is one word: the name of the one operation that it applies to them in this order
 * (or in the other, where that is the same), 'first' or 'second' where it gives one of them; undefined else.
 */
export function simpleBody(region: Region): string | undefined {
  const [block] = region.blocks
  if (region.blocks.length !== 1 || block?.arguments.length !== 2) return undefined
  const [a, b] = block.arguments
  const [op, end] = block.operations
  if (!op) return undefined
  if (block.operations.length === 1) {
    const [given] = op.operands
    if (op.operands.length !== 1) return undefined
    return given === a ? 'first' : given === b ? 'second' : undefined
  }
  if (block.operations.length !== 2 || end?.operands.length !== 1 || op.operands.length !== 2) {
    return undefined
  }
  if (end.operands[0] !== op.results[0]) return undefined
  const [x, y] = op.operands
  const isInOrder = x === a && y === b
  const isExchanged = x === b && y === a && commutative.has(op.name)
  return isInOrder || isExchanged ? op.name : undefined
}

const commutative: ReadonlySet<string> = new Set(
  ['add', 'multiply', 'maximum', 'minimum', 'and', 'or', 'xor'].map((name) => `stablehlo.${name}`),
)
