import { concat, slice, type Tensor } from '../../../tensors/tensor/index.js'
import type { Operation } from '../module.js'
import { region } from '../values/attributes.js'
import type { Context, Devices, Exchange, Lowering } from '../values/lowering.js'
import type { LoweringTable, ParallelName } from '../values/operations.js'
import { eachPart, eachPartOf, type Value } from '../values/value.js'
import { channelOf } from './processGroups.js'
import { type MeshAxis, meshOf, type Sharding, shardingsIn } from './shardings.js'

/** More devices than this are not simulated. */
const mostDevices = 4096

/**
 * `sdy.manual_computation`, what shard_map lowers to: its body on every device of a mesh, in step. Operands are cut as the shardings
 * say, results put together; of what several devices hold alike the first one's is taken.
 */
const manualComputation: Lowering = (op, context) => {
  const body = context.region(region(op))
  const inputs = shardingsIn(op, 'in_shardings')
  const outputs = shardingsIn(op, 'out_shardings')
  const manual = new Set(namesIn(op, 'manual_axes'))
  const name = [...inputs, ...outputs][0]?.mesh
  const axes = name === undefined ? [] : meshOf(context.module, name)
  const count = axes.reduce((product, { size }) => product * size, 1)
  if (count > mostDevices) throw new RangeError(`runs on ${count} devices, more than ${mostDevices}`)
  const own = (sharding: Sharding): Sharding => ({
    ...sharding,
    dimensions: sharding.dimensions.map((names) => names.filter((axis) => manual.has(axis))),
  })
  const devices: Devices = {
    replicas: 1,
    partitions: count,
    running: Array.from({ length: count }, (_, i) => i),
  }
  return (values, frame) => {
    const frames = devices.running.map(() => [...frame])
    const cut = devices.running.map((device) =>
      values.map((value, i) => shardOf(value, own(inputs[i]!), axes, device)),
    )
    const results = body.together(cut, frames, devices)
    return outputs.map((sharding, i) =>
      together(
        results.map((each) => each[i]),
        own(sharding),
        axes,
      ),
    )
  }
}

/** Where a device stands along some axes, counted as one, and how many places there are. */
function placeOf(
  names: readonly string[],
  axes: readonly MeshAxis[],
  device: number,
): readonly [number, number] {
  let [place, count] = [0, 1]
  for (const name of names) {
    const axis = axes.find((each) => each.name === name)
    if (!axis) throw new RangeError(`shards along an axis that the mesh has not [${name}]`)
    place = place * axis.size + (Math.floor(device / axis.stride) % axis.size)
    count *= axis.size
  }
  return [place, count]
}

function shardOf(value: Value, { dimensions }: Sharding, axes: readonly MeshAxis[], device: number): Value {
  const cuts = dimensions.map((names) => placeOf(names, axes, device))
  if (cuts.every(([, count]) => count === 1)) return value
  return eachPart(value, (x) =>
    slice(
      x,
      cuts.map(([place, count], axis): [number, number] => {
        const length = x.shape[axis]!
        if (length % count !== 0) throw new RangeError(`cuts an axis of ${length} into ${count}`)
        return [(place * length) / count, ((place + 1) * length) / count]
      }),
    ),
  )
}

/** A whole of the parts that devices hold. */
function together(values: readonly Value[], { dimensions }: Sharding, axes: readonly MeshAxis[]): Value {
  const join = (axis: number, fixed: readonly number[]): Value => {
    const names = dimensions[axis]
    if (names === undefined) {
      const device = values.findIndex((_, id) =>
        dimensions.every((own, i) => placeOf(own, axes, id)[0] === fixed[i]),
      )
      return values[device]
    }
    const [, count] = placeOf(names, axes, 0)
    const parts = Array.from({ length: count }, (_, i) => join(axis + 1, [...fixed, i]))
    return count === 1 ? parts[0] : eachPartOf(parts, (xs) => concat(xs as Tensor[], { axis }))
  }
  return join(0, [])
}

function namesIn(op: Operation, attribute: string): readonly string[] {
  const given = Object.hasOwn(op.attributes, attribute) ? op.attributes[attribute] : undefined
  const text = given?.kind === 'dialect' ? given.text : ''
  return [...text.matchAll(/"([^"]*)"/g)].map(([, name]) => name!)
}

/** `interpreter.run_parallel` of the specification's own tests: functions on a grid of processes, replica by replica. */
const runParallel: Lowering = (op, context) => {
  const grid = symbolsOf(op, 'programs')
  const infeed = symbolsOf(op, 'infeed').flat()
  const replicas = grid.length
  const partitions = grid[0]?.length ?? 0
  const names = grid.flat()
  if (names.length === 0 || names.length !== replicas * partitions) {
    throw new RangeError('has no grid of programs')
  }
  if (names.length > mostDevices) {
    throw new RangeError(`runs ${names.length} processes, more than ${mostDevices}`)
  }
  for (const name of infeed) context.callee(name)
  const callees = names.map((name) => context.callee(name))
  const counts = names.map((name) => context.module.functions.get(name)!.type.inputs.length)
  const devices: Devices = { replicas, partitions, running: names.map((_, i) => i) }
  return (inputs) => {
    let taken = 0
    const values = counts.map((count) => {
      taken += count
      return inputs.slice(taken - count, taken)
    })
    const before = context.exchange
    context.exchange = { channels: new Map(), infeed: [...infeed] }
    try {
      if (names.every((name) => name === names[0])) return callees[0]!.together(values, devices).flat()
      return apart(
        callees.map((callee, i) => () => callee.together([values[i]!], { ...devices, running: [i] })[0]!),
      ).flat()
    } finally {
      context.exchange = before
    }
  }
}

/** Processes of several functions one after the other; one that waits for what another has yet to send runs again after it. */
function apart(processes: readonly (() => readonly Value[])[]): readonly (readonly Value[])[] {
  const results: (readonly Value[] | undefined)[] = processes.map(() => undefined)
  let waiting = processes.map((_, i) => i)
  while (waiting.length > 0) {
    const still: number[] = []
    let reason: unknown
    for (const i of waiting) {
      try {
        results[i] = processes[i]!()
      } catch (error) {
        if (!isWaiting(error)) throw error
        reason = error
        still.push(i)
      }
    }
    if (still.length === waiting.length) throw reason
    waiting = still
  }
  return results.map((each) => each ?? [])
}

class WaitingError extends RangeError {}

function isWaiting(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof WaitingError) return true
  return false
}

function symbolsOf(op: Operation, name: string): readonly (readonly string[])[] {
  const given = Object.hasOwn(op.attributes, name) ? op.attributes[name] : undefined
  if (given?.kind !== 'array') return []
  return given.values.map((row) =>
    (row.kind === 'array' ? row.values : [row]).flatMap((each) =>
      each.kind === 'symbol' ? [each.name] : [],
    ),
  )
}

function exchangeOf(context: Context): Exchange {
  if (context.exchange) return context.exchange
  throw new RangeError('exchanges data with the host or another process, which a function does not')
}

const send: Lowering = (op, context) => (inputs) => {
  exchangeOf(context).channels.set(channelOf(op), inputs.slice(0, -1))
  return op.results.map(() => undefined)
}

const receive: Lowering = (op, context) => () => {
  const { channels } = exchangeOf(context)
  const found = channels.get(channelOf(op))
  if (!found) throw new WaitingError(`receives what nobody has sent [channel ${channelOf(op)}]`)
  channels.delete(channelOf(op))
  return [...found, undefined]
}

const infeed: Lowering = (_, context) => () => {
  const next = exchangeOf(context).infeed.shift()
  if (next === undefined) throw new RangeError('is fed more often than there is data')
  return [...context.callee(next)([]), undefined]
}

const outfeed: Lowering = (op, context) => () => {
  exchangeOf(context)
  return op.results.map(() => undefined)
}

/** Operations that run on several processes, or between them and a host. */
export const parallel: LoweringTable<ParallelName> = {
  'interpreter.run_parallel': runParallel,
  'sdy.manual_computation': manualComputation,
  'stablehlo.infeed': infeed,
  'stablehlo.outfeed': outfeed,
  'stablehlo.recv': receive,
  'stablehlo.send': send,
}
