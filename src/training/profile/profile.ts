import {
  checkFlag,
  checkFunction,
  checkInteger,
  checkOptions,
  checkText,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import type { Work } from '../../tensors/tensor/index.js'
import { aliveBytes } from './aliveBytes.js'
import { type MeasuredRun, measureRun, type TimedWork } from './measureRun.js'
import { profileText } from './profileText.js'
import type { ProfiledOperation, RunProfile } from './runProfile.js'

/** How a function is profiled. */
export interface ProfileRunOptions {
  /** Runs that are measured; the quickest of them is shown. Default 5. */
  readonly runs?: number
  /** Whether source lines and memory are looked for, in one run more, before the others. Default true. */
  readonly lines?: boolean
  /** What it is called in tables and traces. Default: the function's name, or 'run'. */
  readonly name?: string
}

const names: OptionTable<ProfileRunOptions> = { runs: 'optional', lines: 'optional', name: 'optional' }

/**
 * Where the time of a function goes: every tensor operation, those of gradients too, and every step of the programs that `compile` made,
 * which stay programs; with FLOPs, bytes, memory and the source lines that led there. The function runs several times: it has to do
 * the same each time.
 *
 * Rounding  none: results are the same bits.
 * Special   memory is that of values which something still reads, as a program would need it; what the garbage collector has not found is
 *           not counted. A step of a program that does several operations counts for each of their lines in equal parts.
 * Throws    TypeError for an asynchronous function. What the function throws.
 * Cost      two readings of the clock an operation; one run more with lines, about 10 microseconds an operation.
 *
 * @example const measured = profile(() => matmul(zeros([2, 3]), zeros([3, 4])), { runs: 1 })
 * measured.operations.map(({ name, flops, bytes }) => [name, flops, bytes]) // [['matmul', 48, 104]]
 */
export function profile(f: () => unknown, options: ProfileRunOptions = noOptions): RunProfile {
  checkFunction('profile', 'f', f)
  checkOptions('profile', options, names)
  const { runs = 5, lines = true, name = f.name || 'run' } = options
  checkInteger('profile', 'runs', runs, 1)
  checkFlag('profile', 'lines', lines)
  checkText('profile', 'name', name)
  // What is compiled at the first call is so before time is measured.
  const looked = measureRun(f, lines)
  const measured = Array.from({ length: runs }, () => measureRun(f, false))
  const quickest = measured.reduce((a, b) => (b.ended - b.began < a.ended - a.began ? b : a))
  return profileOf(name, quickest, lines ? looked : undefined, measured)
}

function profileOf(
  name: string,
  run: MeasuredRun,
  looked: MeasuredRun | undefined,
  measured: readonly MeasuredRun[],
): RunProfile {
  const worked = withoutCompiling(run.work)
  const earlier = looked && withoutCompiling(looked.work)
  const steady = [...measured.map(({ work }) => withoutCompiling(work)), ...(earlier ? [earlier] : [])].every(
    (timed) => alike(timed, worked),
  )
  const known = steady ? earlier : undefined
  const alive = known && looked && aliveBytes(known, looked)
  const placed = new Map(worked.map((timed, i) => [timed, i]))
  const operations = nested(run).map(({ timed, self, depth }): ProfiledOperation => {
    const at = placed.get(timed)
    const work = (at !== undefined && known?.[at]?.work) || timed.work
    const bytes = at === undefined ? undefined : alive?.[at]
    return {
      ...work,
      name: nameOf(work),
      start: (timed.began - run.began) * 1000,
      microseconds: (timed.ended - timed.began) * 1000,
      ...{ selfMicroseconds: self * 1000, depth },
      ...(bytes === undefined ? {} : { alive: bytes }),
    }
  })
  const total = (run.ended - run.began) * 1000
  const inside = operations.reduce((sum, { selfMicroseconds }) => sum + selfMicroseconds, 0)
  const top = operations.filter(({ depth }) => depth === 0)
  const result: RunProfile = {
    ...{ name, operations, microseconds: total, outsideMicroseconds: Math.max(0, total - inside), steady },
    runs: measured.map(({ began, ended }) => (ended - began) * 1000),
    flops: top.reduce((sum, { flops }) => sum + flops, 0),
    bytes: top.reduce((sum, { bytes }) => sum + bytes, 0),
    ...(alive ? { peakBytes: alive.reduce((a, b) => Math.max(a, b), looked.givenBytes) } : {}),
    programs: run.work.length - worked.length,
    toString: () => profileText(result),
  }
  return result
}

function withoutCompiling(timed: readonly TimedWork[]): readonly TimedWork[] {
  return timed.filter(({ work }) => work.kind !== 'compile')
}

function alike(a: readonly TimedWork[], b: readonly TimedWork[]): boolean {
  return a.length === b.length && a.every(({ work }, i) => isAlike(work, b[i]!.work))
}

function isAlike(a: Work, b: Work): boolean {
  return a.kind === b.kind && a.operations.length === b.operations.length && a.shape.join() === b.shape.join()
}

function nameOf({ kind, operations }: Work): string {
  return operations.length === 1 ? operations[0]! : `${kind} of ${operations.length}`
}

/** Pieces of work in the order in which they began, with the time that was their own: what lies within another was timed before it. */
function nested({ work }: MeasuredRun): readonly { timed: TimedWork; self: number; depth: number }[] {
  interface Span {
    readonly timed: TimedWork
    readonly inner: Span[]
    self: number
  }
  const open: Span[] = []
  for (const each of work) {
    const inner: Span[] = []
    while (
      open.length > 0 &&
      open.at(-1)!.timed.began >= each.began &&
      open.at(-1)!.timed.ended > each.began
    ) {
      inner.unshift(open.pop()!)
    }
    const within = inner.reduce((sum, { timed: { began, ended } }) => sum + ended - began, 0)
    open.push({ timed: each, inner, self: Math.max(0, each.ended - each.began - within) })
  }
  const list: { timed: TimedWork; self: number; depth: number }[] = []
  const walk = (spans: readonly Span[], depth: number): void => {
    for (const { timed: each, self, inner } of spans) {
      list.push({ timed: each, self, depth })
      walk(inner, depth + 1)
    }
  }
  walk(open, 0)
  return list
}
