import { threefry2x32 } from '../../../numbers/threefry/index.js'
import {
  apply,
  type DType,
  dtypeFacts,
  type Op,
  type Shape,
  sizeOf,
  stridesOf,
  Tensor,
} from '../../../tensors/tensor/index.js'
import type { Operation } from '../module.js'
import { keyword } from '../values/attributes.js'
import { staticType } from '../values/elementType.js'
import type { Lowering } from '../values/lowering.js'
import { real } from '../values/value.js'
import { philox4x32 } from './philox.js'

interface Drawing {
  readonly algorithm: 'threefry' | 'philox'
  readonly dtype: DType
  readonly shape: Shape
}

/** The two words of a 64-bit integer, the low one first. */
const words = (x: bigint): readonly [number, number] => [
  Number(x & 0xffffffffn),
  Number((x >> 32n) & 0xffffffffn),
]

/** The key and the counter of a state: two integers of 64 bits, however they are written. */
function stateOf({ data }: Tensor): readonly [key: bigint, counter: bigint] {
  const state = new BigUint64Array(data.slice().buffer)
  if (state.length < 2) throw new RangeError(`takes a state of 128 bits [${64 * state.length}]`)
  return [state[0]!, state[1]!]
}

/** The axis that the two words of a counter lie along: the first of even length, the longest one where all are odd, as in XLA. */
function pairedAxis(shape: Shape): number {
  const even = shape.findIndex((length) => length % 2 === 0)
  return Math.max(0, even >= 0 ? even : shape.indexOf(Math.max(...shape)))
}

/** Words of Threefry-2x32: the two words of each counter are neighbours along an axis. */
function threefryWords(
  [key, counter]: readonly [bigint, bigint],
  shape: Shape,
  axis: number = pairedAxis(shape),
): Uint32Array {
  const half = shape.map((length, i) => (i === axis ? Math.ceil(length / 2) : length))
  const all = stridesOf(shape)
  const strides = stridesOf(half)
  const out = new Uint32Array(sizeOf(shape))
  const pairs = sizeOf(half)
  for (let i = 0; i < pairs; i++) {
    const pair = threefry2x32(words(key), words(counter + BigInt(i)))
    let at = 0
    for (let k = 0; k < shape.length; k++) {
      at += (Math.floor(i / strides[k]!) % half[k]!) * (k === axis ? 2 : 1) * all[k]!
    }
    out[at] = pair[0]
    const along = shape.length === 0 ? 0 : Math.floor(i / strides[axis]!) % half[axis]!
    if (shape.length > 0 && 2 * along + 1 < shape[axis]!) out[at + all[axis]!] = pair[1]
  }
  return out
}

/** Words of Philox-4x32, four for each counter, in order. */
function philoxWords([key, counter]: readonly [bigint, bigint], count: number): Uint32Array {
  const out = new Uint32Array(count)
  for (let i = 0; i < count; i += 4) {
    const low = counter + BigInt(i / 4)
    const four = philox4x32([...words(low), ...words(key + (low >> 64n))], words(key))
    for (let k = 0; k < 4 && i + k < count; k++) out[i + k] = four[k]!
  }
  return out
}

/** How many counters a draw takes. */
function countersOf({ algorithm, dtype, shape }: Drawing): number {
  const isWide = dtypeFacts(dtype).bits === 64
  const size = sizeOf(shape)
  if (algorithm === 'philox') return Math.ceil((isWide ? 2 * size : size) / 4)
  if (isWide) return size
  if (shape.length === 0) return 1
  const length = shape[pairedAxis(shape)]!
  return length === 0 ? 0 : (size / length) * Math.ceil(length / 2)
}

const bitsOp: Op<Drawing> = {
  name: 'rngBits',
  form: 'whole',
  rounds: 'decides',
  kernel: ([x], drawing) => {
    const { algorithm, dtype, shape } = drawing
    const state = stateOf(x!)
    const { bits, storage } = dtypeFacts(dtype)
    const size = sizeOf(shape)
    if (bits === 64) {
      const pairs = algorithm === 'philox' ? philoxWords(state, 2 * size) : threefryWords(state, [size, 2], 1)
      return new Tensor(dtype, shape, new storage(pairs.buffer as never) as never)
    }
    const drawn = algorithm === 'philox' ? philoxWords(state, size) : threefryWords(state, shape)
    if (bits === 32) return new Tensor(dtype, shape, new storage(drawn.buffer as never) as never)
    const cut = drawn.map((word) => word & (2 ** bits - 1))
    return new Tensor(dtype, shape, new storage(cut as never) as never)
  },
}

const stateOp: Op<Drawing> = {
  name: 'rngState',
  form: 'whole',
  rounds: 'decides',
  kernel: ([x], drawing) => {
    const data = x!.data.slice()
    const state = new BigUint64Array(data.buffer)
    state[1] = state[1]! + BigInt(countersOf(drawing))
    return new Tensor(x!.dtype, x!.shape, data)
  },
}

/** `stablehlo.rng_bit_generator`: Threefry and Philox, bit for bit those of XLA on CPUs, where Philox is the default. */
export const rngBitGenerator: Lowering = (op: Operation) => {
  const name = keyword(op, 'rng_algorithm', 'DEFAULT')
  const algorithm = name === 'THREE_FRY' ? 'threefry' : 'philox'
  const result = op.results[1]
  if (!result) throw new RangeError('has no second result')
  const { dtype, shape } = staticType(result.type)
  const drawing: Drawing = { algorithm, dtype, shape }
  return ([state]) => [apply(stateOp, [real(state)], drawing), apply(bitsOp, [real(state)], drawing)]
}
