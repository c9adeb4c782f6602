import { key, normal } from 'tpu-toolkit/random'

/** The unit of comparison. */
export const n: number = 2 ** 20

const drawn = new Map<string, Float32Array>()

/** Standard normal float32 values, the same in every run. */
export function values(seed: number, count: number): Float32Array {
  const name = `${seed} ${count}`
  const known = drawn.get(name) ?? normal(key(seed), count)
  drawn.set(name, known)
  return known
}
