import { isFloat, Tensor } from '../../tensors/tensor/index.js'
import { pathsOf, type Treelike } from '../../tensors/tree/index.js'
import { checkTransformation } from '../checkTransformation.js'
import type { GradientTransformation, State } from '../transformation.js'
import { type MomentSign, type SettledFormat, type StateFormat, settledFormat } from './stateFormat.js'
import { firstStored, restored, stored } from './storedLeaf.js'

/**
 * An optimizer whose moments are stored in few bits between steps, as 8-bit Adam's. Each step restores them, runs the optimizer as it is,
 * and stores the new ones; the updates are made of the new moments before they are rounded.
 *
 *   | format                              | bytes a parameter and moment | Adam's two, 10^9 parameters |
 *   |-------------------------------------|------------------------------|-----------------------------|
 *   | none (float32)                      | 4                            | 8 GB                        |
 *   | 'bfloat16', 'float16'               | 2                            | 4 GB                        |
 *   | 'bitsandbytes-8bit', 'torchao-8bit' | 1 + 4 / 256                  | 2.03 GB                     |
 *   | 'torchao-fp8'                       | 1 + 4 / 256                  | 2.03 GB                     |
 *   | 'torchao-4bit'                      | 1 / 2 + 4 / 128              | 1.06 GB                     |
 *
 * Shape     a moment is `{ codes, scales }` in the place of its tensor: codes uint8 (or float8_e4m3fn) of its shape, of 4 bits flat and two
 *           a byte; of 16-bit formats a tensor of that dtype, or `{ values }`. With a key there are its `words` besides, 8 bytes.
 * Dtype     restored moments have the dtype that the optimizer gave them.
 * Rounding  as `toBlockwise` of `tpu-toolkit/storage` has it, codes and scales bit for bit those of bitsandbytes and torchao for the same
 *           moments. With `key`: at random, and the same whatever else runs: each tensor has a stream of its own.
 * Special   tensors with fewer than `minSize` elements, and fields that are not in `moments`, stay as they are. A block with a NaN is NaN.
 *           A moment that was 0 stays 0 in 'bitsandbytes-8bit', 'torchao-8bit' and 'torchao-fp8'; 'torchao-4bit' has no 0 of second moments, so
 *           the smallest is a sixteenth of the block's largest. torchao leaves a tensor that is no whole number of blocks in float32; here
 *           its last block is shorter.
 * Throws    TypeError and RangeError for options; an error that names the operation where a gradient is taken through a stored moment.
 * Cost      with 8 bits 15 to 40 ns a parameter and step for both moments; a random word 10 more each.
 * Source    8-bit optimizers via block-wise quantization, arXiv:2110.02861; Memory efficient optimizers with 4-bit states,
 *           arXiv:2309.01507; the formats' versions: `toBlockwise`
 *
 * @example const state = storedState(scaleByAdam(), 'torchao-8bit').init({ w: tensor(Array(4096).fill(1)) })
 * [state.mu.w.codes.dtype, state.mu.w.scales.shape[0], state.count] // ['uint8', 16, 0]
 */
export function storedState<S extends State>(
  inner: GradientTransformation<S>,
  format: StateFormat,
): GradientTransformation<S> {
  checkTransformation('storedState', 'the inner one', inner)
  return storing(inner, settledFormat('storedState', format))
}

/** A transform with its option `stateFormat`, itself without one. */
export function withStateFormat<S extends State>(
  op: string,
  transform: GradientTransformation<S>,
  format: StateFormat | undefined,
): GradientTransformation<S> {
  return format === undefined ? transform : storing(transform, settledFormat(op, format))
}

function storing<S extends State>(
  inner: GradientTransformation<S>,
  settled: SettledFormat,
): GradientTransformation<S> {
  // States for parameters of some dtypes and shapes, which say how moments are restored: their elements are not used.
  const known = new Map<string, S>()
  const likeOf = (params: Treelike): S => {
    const kind = pathsOf(params)
      .map(({ path, leaf: { dtype, shape } }) => `${path} ${dtype} ${shape}`)
      .join(';')
    let like = known.get(kind)
    if (like === undefined) {
      like = inner.init(params as never)
      if (known.size < mostKinds) known.set(kind, like)
    }
    return like
  }
  return {
    recordable: inner.recordable === true,
    ...(inner.skips ? { skips: true } : {}),
    init(params) {
      let index = 0
      const state = inner.init(params)
      return walk(settled, state, state, (sign, leaf) => firstStored(settled, sign, leaf, index++)) as S
    },
    update(updates, state, params, extra) {
      const like = likeOf(params ?? updates)
      const wide = walk(settled, like, state, (sign, leaf, before) => restored(settled, sign, before, leaf))
      const [changed, next] = inner.update(updates, wide as S, params, extra)
      const narrow = beside(settled, like, next, state)
      return [changed, narrow as S]
    },
  }
}

/** More kinds of parameters than this are asked for anew. */
const mostKinds = 4

/** Values in the structure of `like`, with `f` of every moment of it and what lies there. */
function walk(
  settled: SettledFormat,
  like: State,
  value: State,
  f: (sign: MomentSign, leaf: Tensor, value: State) => State,
  sign?: MomentSign,
): State {
  if (like instanceof Tensor) {
    const isStored = sign !== undefined && isFloat(like.dtype) && like.size >= settled.minSize
    return isStored ? f(sign, like, value) : value
  }
  if (typeof like !== 'object' || typeof value !== 'object') return value
  if (Array.isArray(like)) {
    return (value as readonly State[]).map((item, i) => walk(settled, like[i]!, item, f, sign))
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      walk(settled, Reflect.get(like, name) as State, item, f, sign ?? signOf(settled, name)),
    ]),
  )
}

const signOf = ({ moments }: SettledFormat, name: string): MomentSign | undefined =>
  Object.hasOwn(moments, name) ? moments[name] : undefined

/** The new moments stored, each with what was stored of it before. */
function beside(settled: SettledFormat, like: State, next: State, before: State): State {
  const kept: State[] = []
  walk(settled, like, before, (_, __, value) => {
    kept.push(value)
    return value
  })
  let index = 0
  return walk(settled, like, next, (sign, _, leaf) => stored(settled, sign, leaf as Tensor, kept[index++]!))
}
