import { slice } from '../../../tensors/tensor/index.js'
import { special } from '../elements/special.js'
import type { Attributes, Operation } from '../module.js'
import { sort } from '../reducing/sort.js'
import { integer, keyword } from '../values/attributes.js'
import { staticType } from '../values/elementType.js'
import type { Context, Lowering } from '../values/lowering.js'
import { eachPart } from '../values/value.js'
import { lapack, lapackRoutine } from './lapack.js'

/** Calls that only say where data lies. */
const sharding: ReadonlySet<string> = new Set([
  'Sharding',
  'SPMDFullToShardShape',
  'SPMDShardToFullShape',
  'annotate_device_placement',
  'xla.sdy.FuncResultSharding',
  'xla.sdy.GlobalToLocalShape',
  'xla.sdy.LocalToGlobalShape',
])

function configOf(op: Operation): Attributes {
  for (const name of ['mhlo.backend_config', 'backend_config', 'mhlo.attributes']) {
    const attribute = Object.hasOwn(op.attributes, name) ? op.attributes[name] : undefined
    if (attribute?.kind === 'dictionary') return attribute.entries
  }
  return {}
}

/**
 * `ApproxTopK`: the largest elements along an axis and their places, by a comparison; the true ones, which any promised recall allows. As
 * many as the results have room for.
 */
const approxTopK: Lowering = (op, context) => {
  const called = op.attributes['called_computations']
  const [name] = called?.kind === 'array' ? called.values : []
  const comparator = name?.kind === 'symbol' ? context.module.functions.get(name.name) : undefined
  if (!comparator) throw new RangeError('has no comparison')
  const count = op.results.length
  const axis = integer(op, 'reduction_dim', undefined, configOf(op))
  const shapes = op.results.map(({ type }) => staticType(type).shape)
  const order = sort(
    {
      ...op,
      operands: op.operands.slice(0, count),
      regions: [comparator.body],
      attributes: { dimension: { kind: 'integer', value: axis, type: 'i64' } },
    },
    context,
  )
  return (inputs, frame) =>
    order(inputs.slice(0, count), frame).map((value, i) =>
      eachPart(value, (x) => slice(x, [...x.shape.slice(0, axis).map(() => null), [0, shapes[i]![axis]!]])),
    )
}

/**
 * `stablehlo.custom_call`: shardings are passed by, LAPACK's routines, ApproxTopK and composites of chlo computed, others refused.
 */
export const customCall: Lowering = (op: Operation, context: Context) => {
  const target = keyword(op, 'call_target_name')
  if (sharding.has(target)) return (inputs) => inputs
  const routine = lapackRoutine(target)
  if (routine !== undefined) return lapack(routine)(op, context)
  if (target === 'ApproxTopK' || target === 'PartialReduce') return approxTopK(op, context)
  const composite = target.replace(/^mhlo\./, 'chlo.').replace('chlo.topk', 'chlo.top_k')
  if (composite.startsWith('chlo.') && Object.hasOwn(special, composite)) {
    const attributes = { ...op.attributes, ...configOf(op) }
    return special[composite as keyof typeof special]({ ...op, attributes }, context)
  }
  throw new RangeError(`calls foreign code, which cannot be read [${target}]`)
}
