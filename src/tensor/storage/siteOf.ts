import { checkFunction } from '../../options/index.js'
import type { Trace } from './tensor.js'

/** Where this package's own files lie, as frames name them: how an operation is made, not where it is called. */
const inner: readonly string[] = foldersBeside(import.meta.url)

/** None in a bundle, which has one file for all: a module's address is not known there. */
function foldersBeside(module: string | undefined): string[] {
  if (!module) return []
  const { pathname } = new URL('../..', module)
  return ['tensor', 'autodiff', 'numerics', 'precision', 'compile', 'losses'].map(
    (folder) => `${pathname}${folder}/`,
  )
}

/** The source line that called an operation: `model.ts:12:7`; undefined where no recording asked for it. */
export function siteOf({ site }: Pick<Trace, 'site'>): string | undefined {
  const frames = site?.stack?.split('\n').slice(1) ?? []
  const outside = frames.find(
    (frame) => /:\d+:\d+\)?$/.test(frame) && !inner.some((path) => frame.includes(path)),
  )
  return outside && /([^/\\(\s]+:\d+:\d+)\)?$/.exec(outside)?.[1]
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
