import type { Location, Operation } from '../module.js'

/** A line of the program that was lowered. */
export interface SourceLine {
  readonly file: string
  readonly line: number
  readonly column: number
  /** The function that the line stands in, as Python names it; undefined where the text does not say. */
  readonly name: string | undefined
}

/** Files of the frameworks themselves: a line of theirs is shown only where there is no other. */
const framework = /\/(?:jax|jaxlib|torch|torch_xla)\/(?!.*\/(?:tests?|examples?)\/)/

const known = new WeakMap<Location, readonly SourceLine[]>()

/** The source lines that led to an operation, the innermost first. */
export function sourceLines(location: Location): readonly SourceLine[] {
  const before = known.get(location)
  if (before) return before
  const lines = linesOf(location, undefined, 0)
  const own = lines.filter(({ file }) => !framework.test(file))
  const found = own.length > 0 ? own : lines
  known.set(location, found)
  return found
}

/** Deeper nesting is a damaged text. */
const deepest = 512

function linesOf(location: Location, name: string | undefined, depth: number): readonly SourceLine[] {
  if (depth > deepest) return []
  switch (location.kind) {
    case 'file':
      return [{ file: location.file, line: location.line, column: location.column, name }]
    case 'name':
      return location.child ? linesOf(location.child, location.name, depth + 1) : []
    case 'callsite':
      return [
        ...linesOf(location.callee, undefined, depth + 1),
        ...linesOf(location.caller, undefined, depth + 1),
      ]
    case 'fused':
      for (const part of location.locations) {
        const lines = linesOf(part, name, depth + 1)
        if (lines.length > 0) return lines
      }
      return []
    default:
      return []
  }
}

/** `train.py:12:3` of an operation, or its place in the text. */
export function placeOf({ location, position }: Pick<Operation, 'location' | 'position'>): string {
  const [first] = sourceLines(location)
  return first
    ? `${first.file}:${first.line}:${first.column}`
    : `line ${position.line}, column ${position.column} of the text`
}

const sites = new WeakMap<Location, Error>()

/**
 * The source lines of an operation as the stack of an Error: what a recording keeps of the place where an operation was called.
 * Without lines of source it is the place in the text, under the name of the module.
 */
export function siteError(op: Operation, text: string): Error {
  const before = sites.get(op.location)
  if (before) return before
  const lines = sourceLines(op.location)
  const { line, column } = op.position
  const frames =
    lines.length > 0
      ? lines.map((each) => frame(each.name, each.file, each.line, each.column))
      : [frame(op.name, text, line, column)]
  const site = withoutStack(op.name)
  site.stack = [`Error: ${op.name}`, ...frames].join('\n')
  if (lines.length > 0) sites.set(op.location, site)
  return site
}

/** A frame as V8 writes it. Blanks would end the name of a file there. */
function frame(name: string | undefined, file: string, line: number, column: number): string {
  const path = file.replace(/[\s()]/g, '_')
  return `    at ${(name ?? 'program').replace(/[\s()]/g, '_')} (${path}:${line}:${column})`
}

function withoutStack(message: string): Error {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return new Error(message)
  } finally {
    Error.stackTraceLimit = limit
  }
}
