import { foldIn as foldKey, type Key, keyWords } from '../../numbers/threefry/index.js'
import { apply, checkTensor, type KnownOp, Tensor } from '../tensor/index.js'

/** A key, or its two words as a tensor: what a compiled step takes as an argument, so that every call draws other numbers. */
export type AnyKey = Key | Tensor<'uint32'>

/**
 * A key as a tensor of its two words, to hand to a compiled function. `foldIn` takes it, and so does whatever takes an `AnyKey`.
 *
 * Shape     [2]. Dtype uint32.
 *
 * @example keyTensor(key(42)).toNested() // [0, 42]
 */
export function keyTensor(key: Key): Tensor<'uint32'> {
  return new Tensor('uint32', [2], Uint32Array.from(keyWords('keyTensor', key)))
}

/** Either kind of key as a tensor, checked. */
export function toKeyTensor(op: string, key: AnyKey): Tensor<'uint32'> {
  if (!(key instanceof Tensor)) {
    return new Tensor('uint32', [2], Uint32Array.from(keyWords(op, key)))
  }
  if ((key.dtype as string) !== 'uint32' || key.size !== 2 || key.rank !== 1) {
    throw new TypeError(`${op}: a tensor key is two uint32 words [${key.dtype}, ${key.shape.join(', ')}]`)
  }
  return key
}

/** The key whose words a tensor holds: for kernels, which may read them. */
export function keyOfTensor(x: Tensor): Key {
  checkTensor('keyOfTensor', x)
  return { data: [Number(x.data[0]), Number(x.data[1])] }
}

const foldInOp: KnownOp<{ readonly data: number }> = {
  name: 'foldIn',
  form: 'whole',
  rounds: 'never',
  kernel: ([key], { data }) => keyTensor(foldKey(keyOfTensor(key!), data)),
  gradient: () => [],
}

/**
 * A new key from a key and a uint32: a step, a layer, a worker. As jax.random.fold_in. Of a tensor of a key's words a tensor, which may be
 * an argument of a compiled function.
 *
 * @example foldIn(key(0), 1).data // [928981903,3453687069]
 * @example foldIn(keyTensor(key(0)), 1).toNested() // [928981903,3453687069]
 */
export function foldIn(key: Key, data: number): Key
export function foldIn(key: Tensor<'uint32'>, data: number): Tensor<'uint32'>
export function foldIn(key: AnyKey, data: number): AnyKey
export function foldIn(key: AnyKey, data: number): AnyKey {
  if (!(key instanceof Tensor)) return foldKey(key, data)
  if (!(Number.isInteger(data) && data >= 0 && data < 2 ** 32)) {
    throw new RangeError(`foldIn: data is not an integer in 0..2^32-1 [${String(data)}]`)
  }
  return apply(foldInOp, [toKeyTensor('foldIn', key)], { data }) as Tensor<'uint32'>
}
