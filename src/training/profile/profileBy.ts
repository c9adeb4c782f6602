import { checkName, checkRecord } from '../../base/options/index.js'
import type { ProfiledOperation, RunProfile } from './runProfile.js'

/** What operations are put together by: each kind of operation, the kind of step, the dtype, or the innermost source line. */
export type GroupBy = 'name' | 'kind' | 'dtype' | 'line'

/** Operations of one kind, all their calls together. */
export interface ProfileGroup {
  readonly name: string
  readonly calls: number
  /** Their own time, and its share of the run. */
  readonly microseconds: number
  readonly share: number
  readonly flops: number
  readonly bytes: number
  /** Bytes of values that they made. */
  readonly memory: number
}

/**
 * A profile's operations in groups, the longest first. A step that does several operations counts for each of them in equal parts:
 * calls, time, FLOPs and bytes then are shares.
 *
 * @example const measured = profile(() => exp(exp(zeros([4]))), { runs: 1 })
 * profileBy(measured, 'name').map(({ name, calls, flops }) => [name, calls, flops]) // [['exp', 2, 8]]
 */
export function profileBy(profile: RunProfile, by: GroupBy): readonly ProfileGroup[] {
  checkRecord('profileBy', 'profile', profile, ['operations'])
  checkName('profileBy', 'by', by, ['name', 'kind', 'dtype', 'line'])
  const groups = new Map<string, { -readonly [P in keyof ProfileGroup]: ProfileGroup[P] }>()
  for (const operation of profile.operations) {
    const keys = keysOf(operation, by)
    const part = 1 / keys.length
    for (const name of keys) {
      const group = groups.get(name) ?? {
        ...{ name, calls: 0, microseconds: 0, share: 0, flops: 0, bytes: 0, memory: 0 },
      }
      groups.set(name, group)
      group.calls += part
      group.microseconds += part * operation.selfMicroseconds
      group.flops += part * operation.flops
      group.bytes += part * operation.bytes
      group.memory += part * operation.memory
    }
  }
  const total = profile.microseconds
  return [...groups.values()]
    .map((group) => ({ ...group, share: total === 0 ? 0 : group.microseconds / total }))
    .sort((a, b) => b.microseconds - a.microseconds)
}

function keysOf({ kind, operations, dtype, stacks }: ProfiledOperation, by: GroupBy): readonly string[] {
  if (by === 'kind') return [kind]
  if (by === 'dtype') return [dtype]
  return by === 'name' ? operations : operations.map((_, i) => stacks[i]?.[0] ?? unknownLine)
}

/** What has no line: what comes into a program and goes out of it, and what nobody looked for. */
export const unknownLine = 'no line'
