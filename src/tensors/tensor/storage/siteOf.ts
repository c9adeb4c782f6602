import { checkFunction, checkRecord, checkText } from '../../../base/options/index.js'
import type { Trace } from './tensor.js'

/** The package's root, as frames name it: its files make operations, they are not where a program calls them. */
const inner: string | undefined = packageRoot(import.meta.url)

/** The folder of all doors; none in a bundle, which has one file for all: a module's address is not known there. */
function packageRoot(module: string | undefined): string | undefined {
  const at = module === undefined ? -1 : new URL(module).pathname.lastIndexOf('/tensor/storage/')
  return at < 0 ? undefined : new URL('../../..', module).pathname
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

/** Experiments and the command's own examples are programs too, though they lie in the package. */
const programs = ['experiments/', 'cli/'].map((wing) => `${inner}${wing}`)

function isOutside(frame: string): boolean {
  if (!/:\d+:\d+\)?$/.test(frame)) return false
  return inner === undefined || !frame.includes(inner) || programs.some((path) => frame.includes(path))
}

/** The file, without what a server adds to its address (`model.ts?t=17`), line and column. */
function lineOf(frame: string): string | undefined {
  const found = /([^/\\(\s?]+)(?:\?[^/\\(\s:]*)?(:\d+:\d+)\)?$/.exec(frame)
  return found ? `${found[1]}${found[2]}` : undefined
}

// Source location attributed to operations recorded inside `withLocation`. It changes no result.
let place: Error | undefined

/** Whether operations are attributed to a location of `withLocation`. */
export function hasLocation(): boolean {
  return place !== undefined
}

/** The source location for an operation that runs now: that of `withLocation`, else the present call stack. */
export function currentLocation(op: string): Error {
  return place ?? new Error(op)
}

/**
 * The source line that an operation would be attributed to now: that of `withLocation`, else of the caller outside of this package.
 * Undefined where nothing is known.
 *
 * @example withLocation(undefined, () => typeof currentSite('add')) // 'string'
 */
export function currentSite(op: string): string | undefined {
  checkText('currentSite', 'op', op)
  return siteOf({ site: currentLocation(op) })
}

/**
 * Runs `f` and attributes its operations to the source location of another operation: a backward pass is reported at the line of
 * the operation whose gradient it computes. Without a location `f` runs unchanged.
 *
 * @example withLocation(undefined, () => add(tensor(1), 2)).item() // 3
 */
export function withLocation<T>(site: Error | undefined, f: () => T): T {
  checkFunction('withLocation', 'f', f)
  if (!site) return f()
  const before = place
  place = site
  try {
    return f()
  } finally {
    place = before
  }
}

/** Runs `f` with stacks deep enough to lead out of nested layers and a backward pass. */
export function withDeepStacks<T>(f: () => T): T {
  checkFunction('withDeepStacks', 'f', f)
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = Math.max(limit, 64)
  try {
    return f()
  } finally {
    Error.stackTraceLimit = limit
  }
}
