import {
  checkName,
  checkOptions,
  checkRecord,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import {
  add,
  cast,
  checkFloatDType,
  checkTensor,
  concat,
  type FloatDType,
  isFloat,
  mul,
  reshape,
  slice,
  stack,
  sub,
  type Tensor,
} from '../../../tensors/tensor/index.js'
import type { RopeCache } from './ropeCache.js'

/** Which elements turn together, and in which dtype. */
export interface ApplyRopeOptions {
  /**
   * 'half' turns x_i with x_(i + d/2): Llama in Hugging Face's code, NeoX, MaxText. 'interleaved' turns x_2i with x_(2i+1):
   * GPT-J, Meta's own Llama weights, DeepSeek. Default 'half'.
   */
  readonly layout?: 'half' | 'interleaved'
  /** The dtype of products and sums. Default: that of the table. */
  readonly internal?: FloatDType
}

const names: OptionTable<ApplyRopeOptions> = { layout: 'optional', internal: 'optional' }

/**
 * Turns pairs of elements by the angles of their positions: (a c - b s, b c + a s).
 *
 * Shape     x [..., positions, d], the table [positions, d / 2] -> that of x.
 * Dtype     that of x, a float.
 * Rounding  the table to `internal`, then both products and their sum, each; once to the dtype of x. A float32 table so rounds
 *           once; a bfloat16 table beside bfloat16 x rounds every step.
 * Error     of float32 inside: u |r| + 2^-23 (|a| + |b|), beside what the table is off.
 * Gradient  the turn back, each step rounded as the forward pass does.
 * Source    Su and others, RoFormer, arXiv 2104.09864
 *
 * @example applyRope(tensor([[1, 0]]), ropeCache(ropeFrequencies({ dim: 2 }), [1])).toNested() // [[0.5403022766113281, 0.8414709568023682]]
 */
export function applyRope<D extends FloatDType>(
  x: Tensor<D>,
  cache: RopeCache,
  options: ApplyRopeOptions = noOptions,
): Tensor<D> {
  checkTensor('applyRope', x)
  if (!isFloat(x.dtype)) {
    throw new TypeError(`applyRope: needs a floating-point dtype, cast first [${x.dtype}]`)
  }
  checkRecord('applyRope', 'cache', cache, ['cos', 'sin'])
  checkOptions('applyRope', options, names, { positional: 'layout' })
  checkTensor('applyRope', cache.cos)
  checkTensor('applyRope', cache.sin)
  const { layout = 'half', internal = cache.cos.dtype } = options
  checkName('applyRope', 'layout', layout, ['half', 'interleaved'])
  checkFloatDType('applyRope', 'internal', internal)
  const [positions, d] = x.shape.slice(-2)
  if (x.rank < 2 || d! % 2 !== 0) {
    throw new RangeError(`applyRope: x is not [..., positions, an even d] [${x.shape.join(', ')}]`)
  }
  for (const table of [cache.cos, cache.sin]) {
    if (table.rank !== 2 || table.shape[0] !== positions || table.shape[1] !== d! / 2) {
      throw new RangeError(
        `applyRope: the table is not [positions, d / 2] of x [${table.shape.join(', ')}] and [${x.shape.join(', ')}]`,
      )
    }
  }
  const [c, s]: readonly Tensor[] = [cast(cache.cos, internal), cast(cache.sin, internal)]
  const wide: Tensor = cast(x, internal)
  const [a, b] = layout === 'half' ? halves(wide, d! / 2) : pairs(wide)
  const turned = [sub(mul(a, c!), mul(b, s!)), add(mul(b, c!), mul(a, s!))]
  const joined =
    layout === 'half' ? concat(turned, { axis: -1 }) : reshape(stack(turned, { axis: -1 }), x.shape)
  return cast(joined, x.dtype)
}

function halves(x: Tensor, half: number): [Tensor, Tensor] {
  const before = x.shape.slice(0, -1).map(() => null)
  return [slice(x, [...before, [0, half]]), slice(x, [...before, [half, null]])]
}

function pairs(x: Tensor): [Tensor, Tensor] {
  const by = reshape(x, [...x.shape.slice(0, -1), x.shape.at(-1)! / 2, 2])
  const before = x.shape.map(() => null)
  return [slice(by, [...before, 0]), slice(by, [...before, 1])]
}
