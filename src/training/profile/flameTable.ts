import { checkRecord } from '../../base/options/index.js'
import { unknownLine } from './profileBy.js'
import type { RunProfile } from './runProfile.js'

/** A source line: what its own operations took, and with them all that it led to. */
export interface FlameRow {
  readonly line: string
  /** Operations that it called itself. */
  readonly calls: number
  readonly selfMicroseconds: number
  readonly totalMicroseconds: number
  /** Of the whole run. */
  readonly totalShare: number
  readonly flops: number
}

/**
 * The source lines of a profile, the longest first: `total` counts every line that stands in the stack of an operation, once. The
 * operations of a gradient stand at the lines whose gradient they are.
 *
 * @example const measured = profile(() => exp(zeros([4])), { runs: 1, lines: false })
 * flameTable(measured)[0].line // 'no line'
 */
export function flameTable(profile: RunProfile): readonly FlameRow[] {
  checkRecord('flameTable', 'profile', profile, ['operations'])
  const rows = new Map<string, { calls: number; self: number; total: number; flops: number }>()
  const row = (line: string): { calls: number; self: number; total: number; flops: number } => {
    const known = rows.get(line) ?? { calls: 0, self: 0, total: 0, flops: 0 }
    rows.set(line, known)
    return known
  }
  for (const { stacks, selfMicroseconds, flops } of profile.operations) {
    const part = 1 / stacks.length
    for (const stack of stacks) {
      const lines = stack.length === 0 ? [unknownLine] : stack
      const own = row(lines[0]!)
      own.calls += part
      own.self += part * selfMicroseconds
      own.flops += part * flops
      for (const line of new Set(lines)) row(line).total += part * selfMicroseconds
    }
  }
  const whole = profile.microseconds
  return [...rows]
    .map(([line, { calls, self, total, flops }]) => ({
      ...{ line, calls, selfMicroseconds: self, totalMicroseconds: total, flops },
      totalShare: whole === 0 ? 0 : total / whole,
    }))
    .sort((a, b) => b.totalMicroseconds - a.totalMicroseconds || b.selfMicroseconds - a.selfMicroseconds)
}
