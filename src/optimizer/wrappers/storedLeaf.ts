import {
  type BlockwiseName,
  blockwiseCodes,
  blockwiseScales,
  fromBlockwise,
} from '../../numbers/storage/index.js'
import { bits, foldIn, type Key, split } from '../../tensors/random/index.js'
import {
  apply,
  cast,
  type FloatDType,
  type KnownOp,
  type Shape,
  Tensor,
  zeros,
} from '../../tensors/tensor/index.js'
import { inDtype } from '../arithmetic/operand.js'
import type { State } from '../transformation.js'
import { isBlockwise, type MomentSign, type SettledFormat } from './stateFormat.js'

interface Blocks {
  readonly format: BlockwiseName
  readonly signed: boolean
  readonly blockSize: number | undefined
}

interface Shaped extends Blocks {
  readonly shape: Shape
}

const how = ({ signed, blockSize }: Blocks): { signed: boolean; blockSize?: number } =>
  blockSize === undefined ? { signed } : { signed, blockSize }

const scalesOp: KnownOp<Blocks> = {
  name: 'stateScales',
  form: 'whole',
  rounds: 'once',
  kernel: ([x], blocks) => {
    const scales = blockwiseScales(x!.data as Float32Array, blocks.format, how(blocks))
    return new Tensor('float32', [scales.length], scales)
  },
}

/** Its operands: float32 numbers, their scales, and where it rounds at random the words of a key. */
const codesOp: KnownOp<Blocks> = {
  name: 'stateCodes',
  form: 'whole',
  rounds: 'decides',
  kernel: ([x, scales, words], blocks) => {
    const random = words === undefined ? {} : { words: bits(sampleKey(words), x!.size) }
    const [values, by] = [x!.data as Float32Array, scales!.data as Float32Array]
    const codes = blockwiseCodes(values, by, blocks.format, { ...how(blocks), ...random })
    return new Tensor(codeDtype(blocks.format), codeShape(blocks.format, x!.shape), codes)
  },
}

const valuesOp: KnownOp<Shaped> = {
  name: 'stateValues',
  form: 'whole',
  rounds: 'once',
  kernel: ([codes, scales], { shape, ...blocks }) => {
    const stored = { codes: codes!.data as Uint8Array, scales: scales!.data as Float32Array }
    const length = shape.reduce((product, side) => product * side, 1)
    return new Tensor('float32', shape, fromBlockwise(stored, blocks.format, { ...how(blocks), length }))
  },
}

/** A cast that rounds at random; its second operand are the words of a key. */
const randomCastOp: KnownOp<FloatDType> = {
  name: 'stateCast',
  form: 'whole',
  rounds: 'once',
  kernel: ([x, words], dtype) => {
    const drawn = bits(sampleKey(words!), x!.size)
    let next = 0
    return cast(x!, dtype, { rounding: 'stochastic', random: () => drawn[next++]! })
  },
}

const nextKeyOp: KnownOp = {
  name: 'nextKey',
  form: 'whole',
  rounds: 'never',
  kernel: ([words]) => wordsOf(split(keyOf(words!))[0]!),
}

const keyOf = (words: Tensor): Key => ({ data: [words.data[0] as number, words.data[1] as number] })
const sampleKey = (words: Tensor): Key => split(keyOf(words))[1]!
const wordsOf = ({ data }: Key): Tensor<'uint32'> => new Tensor('uint32', [2], Uint32Array.from(data))

const codeDtype = (format: BlockwiseName): 'uint8' | 'float8_e4m3fn' =>
  format === 'torchao-fp8' ? 'float8_e4m3fn' : 'uint8'

/** 4-bit codes lie flat, two in a byte. */
const codeShape = (format: BlockwiseName, shape: Shape): Shape =>
  format === 'torchao-4bit' ? [Math.ceil(shape.reduce((product, side) => product * side, 1) / 2)] : shape

/** A leaf of a state as it is stored: codes with scales, or 16-bit numbers; where it is rounded at random, with the words of a key. */
type StoredLeaf = Readonly<Record<string, Tensor>>

/** The first state of a leaf: codes and scales of 0 for zeros, as the packages begin, else the nearest. */
export function firstStored(settled: SettledFormat, sign: MomentSign, leaf: Tensor, index: number): State {
  const { format, key } = settled
  const words = key === undefined ? {} : { words: wordsOf(foldIn(key, index)) }
  if (!isBlockwise(format)) {
    const values = inDtype(leaf, format)
    return key === undefined ? values : { values, ...words }
  }
  const nearest = stored({ ...settled, key: undefined }, sign, leaf, {}) as { codes: Tensor; scales: Tensor }
  const { codes, scales } = nearest
  if (leaf.toNumbers().some((x) => x !== 0)) return { codes, scales, ...words }
  const none = { codes: zeros(codes.shape, { dtype: codes.dtype }), scales: zeros(scales.shape) }
  return { ...none, ...words }
}

/** A leaf after a step, with what was stored of it before. */
export function stored(
  { format, blockSize }: SettledFormat,
  sign: MomentSign,
  leaf: Tensor,
  before: State,
): State {
  const words = (before as StoredLeaf)['words']
  const random = words === undefined ? [] : [words]
  const next = words === undefined ? {} : { words: apply(nextKeyOp, [words], undefined) }
  const wide = inDtype(leaf, 'float32')
  if (!isBlockwise(format)) {
    if (words === undefined) return inDtype(leaf, format)
    return { values: apply(randomCastOp, [wide, words], format), ...next }
  }
  const blocks: Blocks = { format, signed: sign === 'signed', blockSize }
  const scales = apply(scalesOp, [wide], blocks)
  return { codes: apply(codesOp, [wide, scales, ...random], blocks), scales, ...next }
}

/** What is stored of a leaf as the tensor that an optimizer takes, like another in shape and dtype. */
export function restored(
  { format, blockSize }: SettledFormat,
  sign: MomentSign,
  value: State,
  like: Tensor,
): Tensor {
  const dtype = like.dtype as FloatDType
  if (value instanceof Tensor) return inDtype(value, dtype)
  const { codes, scales, values } = value as StoredLeaf
  if (!isBlockwise(format)) return inDtype(values!, dtype)
  const shaped: Shaped = { format, signed: sign === 'signed', blockSize, shape: like.shape }
  return inDtype(apply(valuesOp, [codes!, scales!], shaped), dtype)
}
