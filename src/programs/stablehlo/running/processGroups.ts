import type { Attribute, Attributes, Operation } from '../module.js'
import { fields, flag, has, integer, integers } from '../values/attributes.js'
import type { Devices } from '../values/lowering.js'

/** How the groups of an operation count processes: see "Parallel execution" in openxla/stablehlo, docs/spec.md. */
export type Grouping = 'replicas' | 'partitions' | 'both' | 'numbers'

/** Groups as an operation writes them, -1 for a place that nobody takes. */
export function writtenGroups(op: Operation): readonly (readonly number[])[] {
  const attribute = Object.hasOwn(op.attributes, 'replica_groups')
    ? op.attributes['replica_groups']
    : undefined
  if (attribute?.kind === 'dialect' && attribute.name === 'stablehlo.replica_group_mesh_axes') {
    return meshGroups(attribute.entries ?? {})
  }
  if (attribute?.kind === 'array') {
    return attribute.values.map((group) =>
      integers({ ...op, attributes: { group } }, 'group').filter((id) => id >= 0),
    )
  }
  const all = integers(op, 'replica_groups', [])
  const width = attribute?.kind === 'denseElements' ? attribute.type.shape.at(-1)! : all.length
  if (!width) return []
  return Array.from({ length: all.length / width }, (_, i) =>
    all.slice(i * width, (i + 1) * width).filter((id) => id >= 0),
  )
}

/** What the groups of an operation count. Reductions and gathers may name processes by number; moves count one kind alone. */
export function groupingOf(op: Operation, isReduction: boolean): Grouping {
  const isChannel = has(op, 'channel_handle') && Number(handleOf(fields(op, 'channel_handle'))) > 0
  if (!isReduction) return isChannel ? 'partitions' : 'replicas'
  if (flag(op, 'use_global_device_ids', false)) return 'numbers'
  return isChannel ? 'both' : 'replicas'
}

function handleOf(entries: Attributes): number | bigint {
  const handle = Object.hasOwn(entries, 'handle') ? entries['handle'] : undefined
  return handle?.kind === 'integer' ? handle.value : 0
}

/** The channel that an operation uses. */
export function channelOf(op: Operation): number {
  return has(op, 'channel_handle')
    ? Number(handleOf(fields(op, 'channel_handle')))
    : integer(op, 'channel_id', 0)
}

/** Groups of process numbers. All processes are one group where none is written. */
export function processGroups(
  groups: readonly (readonly number[])[],
  grouping: Grouping,
  { replicas, partitions }: Devices,
): readonly (readonly number[])[] {
  const number = (replica: number, partition: number): number => replica * partitions + partition
  const upTo = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i)
  if (groups.length === 0) {
    const whole =
      grouping === 'numbers' ? replicas * partitions : grouping === 'partitions' ? partitions : replicas
    return processGroups([upTo(whole)], grouping, { replicas, partitions, running: [] })
  }
  switch (grouping) {
    case 'numbers':
      return groups
    case 'replicas':
      return groups.flatMap((group) => upTo(partitions).map((p) => group.map((r) => number(r, p))))
    case 'partitions':
      return groups.flatMap((group) => upTo(replicas).map((r) => group.map((p) => number(r, p))))
    case 'both':
      return groups.map((group) => upTo(partitions).flatMap((p) => group.map((r) => number(r, p))))
    default:
      return grouping satisfies never
  }
}

/** Groups that run over axes of a mesh, or over parts of them: every process is in one. */
function meshGroups(entries: Attributes): readonly (readonly number[])[] {
  const mesh = entries['mesh']
  const axes = mesh?.kind === 'dialect' ? listed(mesh.entries?.['axes']) : []
  const named = axes.map((axis) => ({ name: textOf(axis['name']), size: numberOf(axis['size']) }))
  const chosen = listed(entries['axes'])
  let stride = named.reduce((product, { size }) => product * size, 1)
  const total = stride
  const strides = new Map<string, { readonly size: number; readonly stride: number }>()
  for (const { name, size } of named) {
    stride /= size
    strides.set(name, { size, stride })
  }
  const runs = chosen.map((axis) => {
    const found = strides.get(textOf(axis['name']))
    if (!found) throw new RangeError(`names an axis that its mesh has not [${textOf(axis['name'])}]`)
    const part = axis['sub_axis_info']
    if (part?.kind !== 'denseArray') return found
    const [before = 1, size = 1] = part.values
    return { size, stride: (found.stride * found.size) / (before * size) }
  })
  const offsets = runs.reduce<readonly number[]>(
    (all, run) => all.flatMap((at) => Array.from({ length: run.size }, (_, i) => at + i * run.stride)),
    [0],
  )
  const groups: number[][] = []
  const seen = new Set<number>()
  for (let id = 0; id < total; id++) {
    if (seen.has(id)) continue
    const group = offsets.map((offset) => id + offset)
    for (const member of group) seen.add(member)
    groups.push(group)
  }
  return groups
}

function listed(attribute: Attribute | undefined): readonly Attributes[] {
  if (attribute?.kind !== 'array') throw new RangeError('has groups over the axes of no mesh')
  return attribute.values.map((each) =>
    each.kind === 'dialect' ? (each.entries ?? {}) : each.kind === 'dictionary' ? each.entries : {},
  )
}

function textOf(attribute: Attribute | undefined): string {
  return attribute?.kind === 'string' ? attribute.value : ''
}

function numberOf(attribute: Attribute | undefined): number {
  return attribute?.kind === 'integer' ? Number(attribute.value) : 1
}
