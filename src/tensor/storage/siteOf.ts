import { checkFunction } from '../../options/index.js'
import type { Trace } from './tensor.js'

/** Where this package's own files lie: frames of these folders are how an operation is made, not where it is called. */
const home: string = new URL('../..', import.meta.url).pathname
const inner: readonly string[] = [
  'tensor/',
  'autodiff/',
  'numerics/',
  'precision/',
  // What calls a user's function is no line of the user.
  'optimizer/step/',
  'cli/doctor/moduleCase.',
].map((path) => `${home}${path}`)

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
