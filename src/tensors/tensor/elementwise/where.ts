import { arena, whereBlocks } from '../../../numbers/simd/index.js'
import { apply, checkOut, type OutOption, operands } from '../storage/apply.js'
import { walk } from '../storage/broadcast.js'
import { checkOutOption, checkTensor } from '../storage/checkCall.js'
import { allocate, type DType } from '../storage/dtype.js'
import { movable } from '../storage/move.js'
import { broadcastShapes, sizeOf } from '../storage/shape.js'
import { type KnownOp, Tensor } from '../storage/tensor.js'

/** Runs of elements of 4 bytes shorter than this are not worth the copies. */
const shortRun = 128

export const whereOp: KnownOp = {
  name: 'where',
  form: 'elementwise',
  rounds: 'never',
  kernel: (inputs, _, out) => {
    const [condition, a, b] = inputs as [Tensor, Tensor, Tensor]
    const shape = broadcastShapes('where', condition.shape, broadcastShapes('where', a.shape, b.shape))
    checkOut('where', out, a.dtype, shape)
    const data = out ? out.data : allocate(a.dtype, sizeOf(shape))
    const target = movable(data)
    const yes = movable(a.data)
    const no = movable(b.data)
    const { run, steps, offsets } = walk([condition.shape, a.shape, b.shape], shape)
    const simd =
      run < shortRun || steps[0] === 0 || !(target instanceof Uint32Array) ? undefined : arena('simd')
    for (let r = 0; r < offsets[0]!.length; r++) {
      if (simd) {
        const left = [yes as Uint32Array, offsets[1]![r]!, steps[1]!] as const
        const right = [no as Uint32Array, offsets[2]![r]!, steps[2]!] as const
        const bytes = condition.data as Uint8Array
        whereBlocks(simd, bytes, offsets[0]![r]!, left, right, target as Uint32Array, r * run, run)
        continue
      }
      let [c, i, j] = [offsets[0]![r]!, offsets[1]![r]!, offsets[2]![r]!]
      for (let k = r * run; k < (r + 1) * run; k++) {
        target[k] = condition.data[c] ? yes[i]! : no[j]!
        c += steps[0]!
        i += steps[1]!
        j += steps[2]!
      }
    }
    return out ?? new Tensor(a.dtype, shape, data)
  },
}

/**
 * a where the condition is true, b elsewhere; elements are moved bit for bit.
 *
 * Shape     broadcast of all three. Dtype the condition is bool, a and b alike; at least one of them a tensor.
 *
 * @example where(tensor([true, false], { dtype: 'bool' }), tensor([1, 2]), 0).toNested() // [1,0]
 */
export function where<D extends DType, E extends D = D, O extends E = E>(
  condition: Tensor,
  a: Tensor<D> | number | bigint,
  b: Tensor<E> | number | bigint,
  options?: OutOption<O>,
): Tensor<E>
export function where<D extends DType, E extends D = D, O extends E = E>(
  condition: Tensor,
  a: Tensor<E> | number | bigint,
  b: Tensor<D> | number | bigint,
  options?: OutOption<O>,
): Tensor<E>
export function where<D extends DType>(
  condition: Tensor,
  a: Tensor<D> | number | bigint,
  b: Tensor<D> | number | bigint,
  options?: OutOption<D>,
): Tensor<D> {
  checkTensor('where', condition)
  checkOutOption('where', options)
  if (condition.dtype !== 'bool') {
    throw new TypeError(`where: the condition is not bool, compare first [${condition.dtype}]`)
  }
  return apply(whereOp, [condition, ...operands('where', [a, b])], undefined, options?.out) as Tensor<D>
}
