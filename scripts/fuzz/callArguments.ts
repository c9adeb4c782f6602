import { key } from 'tpu-toolkit/random'
import { tensor } from 'tpu-toolkit/tensor'

/** Numbers below 1 from a seed: xorshift32. */
export function drawsOf(seed: number): () => number {
  let state = seed >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** Wrong and right arguments: counts as large as they come, leaves of trees, records in records. */
const values: readonly (() => unknown)[] = [
  ...[
    0,
    1,
    2,
    3,
    8,
    -1,
    0.5,
    1.5,
    Number.NaN,
    Infinity,
    -Infinity,
    2 ** 31,
    2 ** 32,
    2 ** 40,
    2 ** 53,
    -(2 ** 31),
  ].map((n) => () => n),
  ...['', 'banana', 'float32', 'bfloat16', 'bf16', 'int32', 'a/b', '__proto__'].map((text) => () => text),
  ...[undefined, null, true, false, 3n].map((each) => () => each),
  () => tensor([1, 2, 3]),
  () =>
    tensor([
      [1, 2],
      [3, 4],
    ]),
  () => tensor(1),
  () => tensor([], { shape: [0] }),
  () => tensor([1, 2], { dtype: 'int32' }),
  () => tensor([1, 2], { dtype: 'bfloat16' }),
  () => ({ w: tensor([1, 2]), b: [tensor([3])] }),
  () => ({ w: 1 }),
  () => ({}),
  () => [],
  () => [1, 2, 3],
  () => [null],
  () => [[1, 2], [3]],
  () => [tensor([1, 2])],
  () => new Float32Array(3),
  () => new Uint16Array(2),
  () => new Map([['a', 1]]),
  () => key(1),
  () => () => 1,
  () => (x: unknown) => x,
  () => () => tensor(1),
  () => () => undefined,
  () => () => ({ loss: 1 }),
  () => ({ init: () => 1, update: () => 1 }),
  () => ({ shape: [2], names: ['a'] }),
  () => ({ length: 2 ** 40 }),
]

/** One argument; `names` are those of options that were seen, so that records reach into records. */
export function argument(draw: () => number, names: readonly string[], depth = 0): unknown {
  if (depth < 3 && names.length > 0 && draw() < (depth === 0 ? 0.4 : 0.15)) {
    const record: Record<string, unknown> = {}
    const count = Math.floor(draw() * 5)
    for (let i = 0; i < count; i++) {
      record[names[Math.floor(draw() * names.length)]!] = argument(draw, names, depth + 1)
    }
    return record
  }
  return values[Math.floor(draw() * values.length)]!()
}
