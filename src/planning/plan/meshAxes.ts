import { checkInteger, checkOptions, checkRecord, type OptionTable } from '../../base/options/index.js'
import type { Split } from '../model/index.js'

/** A kind of parallelism, an axis of the mesh. */
type Way = keyof Split

const names: OptionTable<Split> = {
  ...{ data: 'optional', fsdp: 'optional', tensor: 'optional', expert: 'optional' },
  context: 'optional',
}

/** In the order of the mesh: what is exchanged most lies closest. */
const ways = ['data', 'fsdp', 'context', 'expert', 'tensor'] as const satisfies readonly Way[]

/** The ways that there are, fsdp where there is none. */
export function waysOf(split: Split): readonly Way[] {
  const there = ways.filter((way) => (split[way] ?? 1) > 1)
  return there.length === 0 ? ['fsdp'] : there
}

/**
 * The axes of the mesh that a split makes, with their sizes, in the order of the mesh: the ways that there are, or fsdp alone.
 * What `tpuConfig` and `createMesh` take.
 *
 * Throws    RangeError for an unknown way, and for a number of devices that is none.
 *
 * @example meshAxes({ tensor: 4, data: 1, fsdp: 16 }) // { fsdp: 16, tensor: 4 }
 */
export function meshAxes(split: Split): Readonly<Record<string, number>> {
  checkRecord('meshAxes', 'split', split)
  checkOptions('meshAxes', split, names)
  for (const way of ways) if (split[way] !== undefined) checkInteger('meshAxes', way, split[way], 1)
  return Object.fromEntries(waysOf(split).map((way) => [way, split[way] ?? 1]))
}
