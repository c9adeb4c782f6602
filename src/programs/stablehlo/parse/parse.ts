import { checkText } from '../../../base/options/index.js'
import type { Module, Operation, TextPosition } from '../module.js'
import { findAliases, resolveLocations, skipAlias } from './aliases.js'
import { readAttribute } from './attributes.js'
import { Cursor } from './cursor.js'
import { readLocation } from './locations.js'
import { moduleOf } from './moduleOf.js'
import { readOperation } from './operations.js'
import type { Reader } from './reader.js'
import { readType } from './readType.js'
import { readMetadata, resourcesOf } from './resources.js'

/**
 * Reads a program that JAX or PyTorch wrote as StableHLO text, in the short spelling or the generic one, with locations or without.
 *
 * Error     a SyntaxError with the line, the column and the source line: `parse: expected a type [3:14]`.
 * Throws    TypeError for what is no string, such as MLIR's bytecode; it names the line of Python that writes text.
 * Cost      about 50 ns a character, most of it memory for the result.
 * Source    github.com/openxla/stablehlo (docs/spec.md, the dialect's assembly formats), mlir.llvm.org/docs/LangRef
 *
 * @example parse('func.func @main(%x: tensor<4xf32>) { return }').functions.has('main') // true
 */
export function parse(text: string): Module {
  const source = sourceOf(text)
  const reader = readerOf(source)
  const { cursor } = reader
  resolveLocations(reader)
  if (source.startsWith('\ufeff')) cursor.offset = 1
  const operations: Operation[] = []
  for (let code = cursor.peek(); !Number.isNaN(code); code = cursor.peek()) {
    if (code === 35 || code === 33) skipAlias(reader)
    else if (code === 123 && source.startsWith('{-#', cursor.offset)) readMetadata(cursor)
    else operations.push(readOperation(reader))
  }
  return moduleOf(reader, operations)
}

function sourceOf(text: unknown): string {
  const isBytecode =
    text instanceof Uint8Array || (typeof text === 'string' && /^ML(?:\u00ef|\ufffd)R/.test(text))
  if (isBytecode) {
    throw new TypeError(
      'parse: bytecode is not read, write text: jitted.lower(...).as_text(debug_info=True), or of an export ' +
        'exported.mlir_module() [ML\\xefR]',
    )
  }
  checkText('parse', 'text', text)
  return text as string
}

/** What the readers of types, attributes and operations share. */
function readerOf(text: string): Reader {
  const reader: Reader = {
    cursor: new Cursor(text),
    aliases: findAliases(text),
    types: new Map(),
    resource: resourcesOf(text),
    position: positionsOf(text),
    scope: { values: new Map(), names: [] },
    type: () => readType(reader),
    attribute: () => readAttribute(reader),
    location: () => readLocation(reader),
    operation: () => readOperation(reader),
  }
  return reader
}

/** Lines and columns of offsets that grow. */
function positionsOf(text: string): (offset: number) => TextPosition {
  let line = 1
  let start = 0
  let end = text.indexOf('\n')
  return (offset) => {
    for (; end >= 0 && end < offset; end = text.indexOf('\n', start)) {
      start = end + 1
      line++
    }
    return { line, column: offset - start + 1 }
  }
}
