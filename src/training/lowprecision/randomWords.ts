import { bits, foldIn, type Key } from '../../tensors/random/index.js'

/** The random words of one leaf in one step: n of them, uint32. Steps count from 1, leaves from 0 in walking order. */
export type RandomWords = (step: number, leaf: number, n: number) => Uint32Array

/** The words of a key: those of the key with the step and then the leaf folded in, so that no draw depends on another. */
export function wordsOf(key: Key): RandomWords {
  return (step, leaf, n) => bits(foldIn(foldIn(key, step), leaf), n)
}

/** The words in sequence, as rounding requests them. */
export function source(words: Uint32Array): () => number {
  let next = 0
  return () => words[next++]!
}
