import { apply } from '../storage/apply.js'
import { checkTensor } from '../storage/checkCall.js'
import { allocate, checkDType, type DType, isPacked, wrapping } from '../storage/dtype.js'
import { dtypeFacts } from '../storage/dtypeFacts.js'
import { type Shape, sizeOf } from '../storage/shape.js'
import { bitsOf, type KnownOp, Tensor } from '../storage/tensor.js'

/** The attributes of bitcast: the dtype that the bits are read as. */
export interface Bitcasting {
  readonly dtype: DType
}

export const bitcastOp: KnownOp<Bitcasting> = {
  name: 'bitcast',
  form: 'whole',
  rounds: 'decides',
  kernel: ([x], { dtype }) => {
    const shape = bitcastShape(x!.dtype, x!.shape, dtype)
    const data = allocate(dtype, sizeOf(shape))
    const to = bitsOf(data)
    const [from, into] = [dtypeFacts(x!.dtype).bits, dtypeFacts(dtype).bits]
    if (from % 8 === 0 && into % 8 === 0) bytesOf(to).set(bytesOf(bitsOf(x!.data)))
    else if (from === into) to.set(x!.toBits() as Uint8Array & BigUint64Array)
    else unpack(pack(bytesOf(x!.toBits()), Math.min(8, from)), Math.min(8, into), bytesOf(to))
    if (isPacked(dtype)) {
      const wrap = wrapping(dtype)
      for (let i = 0; i < to.length; i++) to[i] = wrap(Number(to[i]))
    }
    return new Tensor(dtype, shape, data)
  },
  flops: () => 0,
  reads: (_, [shape], output) => {
    const [size, count] = [sizeOf(shape!), sizeOf(output)]
    const each = Math.max(1, size / Math.max(1, count))
    const parts = Math.max(1, count / Math.max(1, size))
    const at = Int32Array.from({ length: size }, (_, i) => i)
    return [{ at, from: (element) => Math.floor(element / parts) * each, count: () => each }]
  },
}

type Bits = ReturnType<typeof bitsOf>

const bytesOf = ({ buffer, byteOffset, byteLength }: Bits): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

/** Codes of so many bits, one a byte, side by side: the first in the lowest bits. */
function pack(codes: Uint8Array, bits: number): Uint8Array {
  if (bits === 8) return codes
  const each = 8 / bits
  const bytes = new Uint8Array(Math.ceil(codes.length / each))
  for (let i = 0; i < codes.length; i++) {
    bytes[Math.floor(i / each)]! |= codes[i]! << ((i % each) * bits)
  }
  return bytes
}

/** The inverse of `pack`. */
function unpack(bytes: Uint8Array, bits: number, codes: Uint8Array): void {
  const each = 8 / bits
  for (let i = 0; i < codes.length; i++) {
    codes[i] = (bytes[Math.floor(i / each)]! >> ((i % each) * bits)) & (2 ** bits - 1)
  }
}

/** The shape of the bits of `shape` in another dtype; a TypeError or RangeError where they are none. */
function bitcastShape(from: DType, shape: Shape, to: DType): number[] {
  const [width, wanted] = [dtypeFacts(from).bits, dtypeFacts(to).bits]
  const whole = Math.max(width, wanted) % Math.min(width, wanted) === 0
  if (!whole || (from !== to && (from === 'bool' || to === 'bool'))) {
    throw new TypeError(`bitcast: the bits of one dtype are none of the other [${from} and ${to}]`)
  }
  if (width === wanted) return [...shape]
  if (width > wanted) return [...shape, width / wanted]
  if (shape.at(-1) !== wanted / width) {
    throw new RangeError(
      `bitcast: from ${from} to ${to} the last axis has ${wanted / width} elements [${shape.join(', ')}]`,
    )
  }
  return shape.slice(0, -1)
}

/**
 * The same bits as elements of another dtype: lax.bitcast_convert_type.
 *
 * Shape     kept where both dtypes have as many bits. To a narrower one a last axis is added, of the parts of each element, the
 *           lowest bits first; to a wider one the last axis, which has to have as many elements as make one, goes.
 * Dtype     any to any whose width is a multiple or a part; bool to itself alone.
 * Rounding  none: NaN payloads are kept.
 *
 * @example bitcast(tensor([1]), 'uint32').item().toString(16) // '3f800000'
 * @example bitcast(tensor([0x1234], { dtype: 'uint16' }), 'uint8').toNested() // [[52, 18]]
 * @example bitcast(tensor([0x34, 0x12], { dtype: 'uint8' }), 'int16').item() // 4660
 * @example bitcast(tensor([-2], { dtype: 'int8' }), 'uint4').toNested() // [[14, 15]]
 */
export function bitcast<D extends DType>(x: Tensor, dtype: D): Tensor<D> {
  checkTensor('bitcast', x)
  checkDType('bitcast', dtype)
  return apply(bitcastOp, [x], { dtype }) as Tensor<D>
}
