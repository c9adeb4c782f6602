import { add, concat, reshape, slice, type Tensor, tensor, zerosLike } from '../../../tensors/tensor/index.js'
import type { Operation } from '../module.js'
import { flag, integer, integers, region } from '../values/attributes.js'
import { integerIn } from '../values/integerIn.js'
import { type Devices, inStep, type Lowering } from '../values/lowering.js'
import type { CollectiveName, LoweringTable } from '../values/operations.js'
import { broadcastLanes } from '../values/perElement.js'
import { eachPart, eachPartOf, real, shapeOf, type Value } from '../values/value.js'
import { groupingOf, processGroups, writtenGroups } from './processGroups.js'

/** The values of one operand of the members of a group, in the group's order. */
type Members = readonly Value[]

/** What each member of a group gets, for an operand of all of them; `operand` counts the operands. */
type Exchanged = (members: Members, operand: number) => readonly Value[]

/**
 * A collective operation: among one device the operands are the results; among several each operand is exchanged within the groups.
 * Processes in no group get zeros.
 */
function collective(isReduction: boolean, make: Lowerable): Lowering {
  return (op, context) => {
    const groups = writtenGroups(op)
    const grouping = groupingOf(op, isReduction)
    const bound = make(op, context)
    return inStep(
      (inputs, frame) => {
        if (groups.some((group) => group.some((id) => id !== 0))) {
          const count = new Set(groups.flat()).size
          throw new RangeError(`exchanges data among ${count} devices, where there is one`)
        }
        return bound
          .count(inputs)
          .map((_, operand) => bound.exchange([inputs], frame)([inputs[operand]], operand)[0])
      },
      (inputs, frames, devices) => {
        const place = placesOf(devices)
        const results = inputs.map((own) => bound.count(own).map((value) => zeros(value)))
        for (const group of processGroups(groups, grouping, devices)) {
          const members = group.map((id) => place.get(id))
          if (members.every((at) => at === undefined)) continue
          if (members.some((at) => at === undefined)) throw absent(group, devices)
          const [first] = members as readonly number[]
          const exchange = bound.exchange(
            members.map((at) => inputs[at!]!),
            frames[first!]!,
          )
          for (const operand of results[first!]!.keys()) {
            const found = exchange(
              members.map((at) => inputs[at!]![operand]),
              operand,
            )
            for (const [i, at] of members.entries()) results[at!]![operand] = found[i]
          }
        }
        return results
      },
    )
  }
}

/** What a collective does, made of its operation: which operands are exchanged, and how. */
type Lowerable = (
  op: Operation,
  context: Parameters<Lowering>[1],
) => {
  readonly count: (inputs: readonly Value[]) => Value[]
  readonly exchange: (inputs: readonly (readonly Value[])[], frame: Value[]) => Exchanged
}

const every = (inputs: readonly Value[]): Value[] => [...inputs]

function zeros(value: Value): Value {
  return eachPart(value, (x) => zerosLike(x) as Tensor)
}

function placesOf({ running }: Devices): ReadonlyMap<number, number> {
  return new Map(running.map((id, at) => [id, at]))
}

function absent(group: readonly number[], { running }: Devices): RangeError {
  return new RangeError(
    `waits for a device that is not there: the group is ${group.join(', ')} [${running.join(', ')} run it]`,
  )
}

/** The values of all members joined by the operation's body, in the order of the group. */
function reduced(
  op: Operation,
  context: Parameters<Lowering>[1],
): (frame: Value[]) => (members: Members) => Value {
  const step = context.lifted(region(op))
  return (frame) => {
    const join = step(frame)
    return (members) =>
      members.reduce((a, b) => {
        const [found] = join([a, b])
        return broadcastLanes(found, shapeOf(a))
      })
  }
}

function parts(value: Value, axis: number, count: number): readonly Value[] {
  const length = shapeOf(value)[axis]
  if (length === undefined || length % count !== 0) {
    throw new RangeError(`splits an axis of ${length} into ${count}`)
  }
  const width = length / count
  return Array.from({ length: count }, (_, i) =>
    eachPart(value, (x) =>
      slice(x, [...x.shape.slice(0, axis).map(() => null), [i * width, (i + 1) * width]]),
    ),
  )
}

function joined(values: readonly Value[], axis: number): Value {
  return values.length === 1 ? values[0] : eachPartOf(values, (xs) => concat([...xs], { axis }))
}

const allGather = collective(true, (op) => {
  const axis = integer(op, 'all_gather_dim', 0)
  return {
    count: every,
    exchange: () => (members) => {
      const all = joined(members, axis)
      return members.map(() => all)
    },
  }
})

const allReduce = collective(true, (op, context) => {
  const join = reduced(op, context)
  return {
    count: every,
    exchange: (_, frame) => (members) => {
      const all = join(frame)(members)
      return members.map(() => all)
    },
  }
})

/** As all_reduce, but the first of a group alone gets the result; the others get zeros. */
const collectiveReduce = collective(true, (op, context) => {
  const join = reduced(op, context)
  return {
    count: every,
    exchange: (_, frame) => (members) =>
      members.map((value, i) => (i === 0 ? join(frame)(members) : zeros(value))),
  }
})

const reduceScatter = collective(true, (op, context) => {
  const axis = integer(op, 'scatter_dimension')
  const join = reduced(op, context)
  return {
    count: every,
    exchange: (_, frame) => (members) => parts(join(frame)(members), axis, members.length),
  }
})

const allToAll = collective(false, (op) => {
  const split = integer(op, 'split_dimension')
  const into = integer(op, 'concat_dimension')
  const count = integer(op, 'split_count')
  return {
    count: every,
    exchange: () => (members) => {
      const sent = members.map((value) => parts(value, split, count))
      return members.map((_, receiver) =>
        joined(
          sent.map((own) => own[receiver]),
          into,
        ),
      )
    },
  }
})

/** The value of the first of a group, or of the one that the last operand names for each of the others. */
const collectiveBroadcast = collective(false, (op) => {
  const isDynamic = flag(op, 'has_dynamic_root', false)
  return {
    count: (inputs) => (isDynamic ? inputs.slice(0, -1) : [...inputs]),
    exchange:
      ([first]) =>
      (members, operand) => {
        const root = isDynamic ? integerIn(real(first!.at(-1)), operand) : 0
        const given = members[root]
        if (given === undefined) throw new RangeError(`has no root ${root} [${members.length} devices]`)
        return members.map(() => given)
      },
  }
})

const collectivePermute: Lowering = (op) => {
  const flat = integers(op, 'source_target_pairs')
  const pairs = Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i]!, flat[2 * i + 1]!] as const)
  const grouping = groupingOf(op, false)
  return inStep(
    (inputs) => {
      if (flat.some((id) => id !== 0)) {
        throw new RangeError('exchanges data among several devices, where there is one')
      }
      return pairs.length === 0 ? inputs.map(zeros) : inputs
    },
    (inputs, _, devices) => {
      const place = placesOf(devices)
      const results = inputs.map((own) => own.map(zeros))
      for (const pair of pairs) {
        for (const [source, target] of processGroups([pair], grouping, devices)) {
          const to = place.get(target!)
          if (to === undefined) continue
          const from = place.get(source!)
          if (from === undefined) throw absent([source!, target!], devices)
          results[to] = [...inputs[from]!]
        }
      }
      return results
    },
  )
}

/** The number of a process along one side of the grid. */
function ownNumber(of: (id: number, devices: Devices) => number): Lowering {
  const scalar = (value: number): Value => reshape(tensor([value], { dtype: 'uint32' }), [])
  return () =>
    inStep(
      () => [scalar(0)],
      (_, __, devices) => devices.running.map((id) => [scalar(of(id, devices))]),
    )
}

/** Operations of several devices. */
export const collectives: LoweringTable<CollectiveName> = {
  'stablehlo.all_gather': allGather,
  'stablehlo.all_reduce': allReduce,
  'stablehlo.all_to_all': allToAll,
  'stablehlo.collective_broadcast': collectiveBroadcast,
  'stablehlo.collective_permute': collectivePermute,
  'stablehlo.collective_reduce': collectiveReduce,
  'stablehlo.cross-replica-sum': allReduceSum(),
  'stablehlo.partition_id': ownNumber((id, { partitions }) => id % partitions),
  'stablehlo.reduce_scatter': reduceScatter,
  'stablehlo.replica_id': ownNumber((id, { partitions }) => Math.floor(id / partitions)),
}

/** A sum over the replicas, of old texts. */
function allReduceSum(): Lowering {
  return collective(true, () => ({
    count: every,
    exchange: () => (members) => {
      const all = members.reduce((a, b) => eachPartOf([a, b], ([x, y]) => add(x!, y!)))
      return members.map(() => all)
    },
  }))
}
