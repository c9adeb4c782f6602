import { bits, key } from 'tpu-toolkit/random'
import { expect, it } from 'vitest'
import { arena, threefryBlocks } from '#simd'

it.each([0, 1, 3, 16384, 16390, 40001])('threefryBlocks gives %i words of random.bits', (count) => {
  for (const seed of [0, 7, 2 ** 32 - 1]) {
    const words = new Uint32Array(count)
    threefryBlocks(arena('simd')!, key(seed).data, words)
    expect(words).toEqual(bits(key(seed), count))
  }
})
