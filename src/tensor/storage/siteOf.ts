import { checkFunction, checkRecord } from '../../options/index.js'
import type { Trace } from './tensor.js'

/** Where this package's own files lie, as frames name them: how an operation is made, not where it is called. */
const inner: readonly string[] = foldersBeside(import.meta.url)

/** None in a bundle, which has one file for all: a module's address is not known there. */
function foldersBeside(module: string | undefined): string[] {
  if (!module) return []
  const { pathname } = new URL('../..', module)
  return ['tensor', 'autodiff', 'numerics', 'precision', 'compile', 'losses', 'profile'].map(
    (folder) => `${pathname}${folder}/`,
  )
}

/** The source line that called an operation: `model.ts:12:7`; undefined where no recording asked for it. */
export function siteOf(trace: Pick<Trace, 'site'>): string | undefined {
  checkRecord('siteOf', 'trace', trace)
  const outside = framesOf(trace.site).find(isOutside)
  return outside && lineOf(outside)
}

/**
 * The source lines that led to an operation, the innermost first: as `siteOf`, and what called that; up to the function `until`,
 * where there is such a one among them.
 */
export function stackOf(trace: Pick<Trace, 'site'>, until?: string): readonly string[] {
  checkRecord('stackOf', 'trace', trace)
  const frames = framesOf(trace.site)
  const end = until === undefined ? -1 : frames.findIndex((frame) => frame.includes(` ${until} `))
  return (end < 0 ? frames : frames.slice(0, end)).filter(isOutside).flatMap((frame) => lineOf(frame) ?? [])
}

function framesOf(site: Error | undefined): readonly string[] {
  return site?.stack?.split('\n').slice(1) ?? []
}

function isOutside(frame: string): boolean {
  return /:\d+:\d+\)?$/.test(frame) && !inner.some((path) => frame.includes(path))
}

/** The file, without what a server adds to its address (`model.ts?t=17`), line and column. */
function lineOf(frame: string): string | undefined {
  const found = /([^/\\(\s?]+)(?:\?[^/\\(\s:]*)?(:\d+:\d+)\)?$/.exec(frame)
  return found ? `${found[1]}${found[2]}` : undefined
}

// Whose place the operations of a running `calledAt` have. It lives while that runs and changes no result.
let place: Error | undefined

/** The place that operations have which run now: of a running `calledAt`, else here. */
export function placeOf(op: string): Error {
  return place ?? new Error(op)
}

/**
 * Runs `f` with every operation recorded as called where another one was: those of a backward pass where the operation was
 * called whose gradient they are. Without a place, `f` as it is.
 *
 * @example calledAt(undefined, () => add(tensor(1), 2)).item() // 3
 */
export function calledAt<T>(site: Error | undefined, f: () => T): T {
  checkFunction('calledAt', 'f', f)
  if (!site) return f()
  const before = place
  place = site
  try {
    return f()
  } finally {
    place = before
  }
}

/** Runs `f` with stacks deep enough to lead out of a backward pass. */
export function withDeepStacks<T>(f: () => T): T {
  checkFunction('withDeepStacks', 'f', f)
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = Math.max(limit, 16)
  try {
    return f()
  } finally {
    Error.stackTraceLimit = limit
  }
}
