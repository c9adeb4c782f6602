import { isSealed, type Shape, tensor } from '../../../tensors/tensor/index.js'
import { convolution } from '../algebra/convolution.js'
import type { Attribute, Attributes, Operation } from '../module.js'
import { gather } from '../moving/gather.js'
import { moves } from '../moving/moves.js'
import { integers } from '../values/attributes.js'
import { integerIn } from '../values/integerIn.js'
import type { Lowering } from '../values/lowering.js'
import type { DynamicName, LoweringTable } from '../values/operations.js'
import { real, shapeOf, type Value } from '../values/value.js'

/** What an operation of static shapes says where one of dynamic shapes has operands. */
interface Resolved {
  readonly attributes?: Attributes
  /** The shape of the result, where the operation needs to know it. */
  readonly shape?: Shape
}

/**
 * An operation whose shape is an operand, run as the one of static shapes that it is once the operand is known: where a program is
 * compiled, or batched, it has to be a constant.
 */
function resolved(
  lowering: Lowering,
  kept: number,
  read: (vectors: readonly (readonly number[])[], op: Operation, inputs: readonly Value[]) => Resolved,
): Lowering {
  return (op, context) => (inputs, frame) => {
    const vectors = inputs.slice(kept).map(integersOf)
    const { attributes, shape } = read(vectors, op, inputs)
    const results = op.results.map((result) =>
      shape && result.type.kind === 'tensor' ? { ...result, type: { ...result.type, shape } } : result,
    )
    return lowering({ ...op, attributes: { ...op.attributes, ...attributes }, results }, context)(
      inputs.slice(0, kept),
      frame,
    )
  }
}

function integersOf(value: Value): readonly number[] {
  const x = real(value)
  if (isSealed(x)) {
    throw new TypeError('has a shape that is not known before it runs, lower with static shapes')
  }
  return Array.from({ length: x.size }, (_, i) => integerIn(x, i))
}

const list = (values: readonly number[]): Attribute => ({ kind: 'denseArray', element: 'i64', values })

const shaped = ([shape]: readonly (readonly number[])[]): Resolved => ({ shape: shape! })

const dynamicReshape = resolved(moves['stablehlo.reshape'], 1, shaped)

/** Operations whose shapes are operands. */
export const dynamicShapes: LoweringTable<DynamicName> = {
  'chlo.dynamic_reshape': dynamicReshape,
  'stablehlo.compute_reshape_shape': () => (inputs) => {
    const [[size] = [], shape] = inputs.map(integersOf)
    const known = shape!.reduce((product, length) => (length < 0 ? product : product * length), 1)
    const { dtype } = real(inputs[1])
    return [
      tensor(
        shape!.map((length) => (length < 0 ? size! / known : length)),
        { dtype },
      ),
    ]
  },
  'stablehlo.dynamic_broadcast_in_dim': resolved(moves['stablehlo.broadcast_in_dim'], 1, shaped),
  'stablehlo.dynamic_conv': resolved(convolution, 2, ([padding]) => ({
    attributes: { padding: list(padding!) },
  })),
  'stablehlo.dynamic_gather': resolved(gather, 2, ([sizes]) => ({
    attributes: { slice_sizes: list(sizes!) },
  })),
  'stablehlo.dynamic_iota': resolved(moves['stablehlo.iota'], 0, shaped),
  'stablehlo.dynamic_pad': resolved(moves['stablehlo.pad'], 2, ([low, high, interior]) => ({
    attributes: {
      edge_padding_low: list(low!),
      edge_padding_high: list(high!),
      interior_padding: list(interior!),
    },
  })),
  'stablehlo.dynamic_reshape': dynamicReshape,
  'stablehlo.real_dynamic_slice': resolved(
    moves['stablehlo.slice'],
    1,
    ([starts, limits, strides], op, [x]) => {
      const length = shapeOf(x).length
      if (starts!.length !== length) throw new RangeError(`names ${starts!.length} axes of ${length}`)
      return {
        attributes: {
          start_indices: list(starts!),
          limit_indices: list(limits!),
          strides: list(strides ?? integers(op, 'strides', [])),
        },
      }
    },
  ),
}
