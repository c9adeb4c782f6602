import { bits, foldIn, type Key, key } from '../tensors/random/index.js'

/**
 * Uniform numbers whose whole state is two integers: call c of a seed always gives the same numbers, since they are
 * Threefry's words under a key made of the seed and c.
 */
export class DrawStream {
  readonly seed: number
  /** How many calls there were. */
  count: number
  #epoch = -1
  #epochKey: Key | undefined
  #words = new Uint32Array(0)

  constructor(seed: number, count = 0) {
    if (!(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32)) {
      throw new RangeError(`ReplayBuffer: seed is not an integer in 0..2^32-1 [${String(seed)}]`)
    }
    this.seed = seed
    this.count = count
  }

  /** Fills `out` with multiples of 2^-53 in [0, 1). */
  fill(out: Float64Array): Float64Array {
    const n = out.length
    const epoch = Math.floor(this.count / 2 ** 32)
    if (epoch !== this.#epoch) this.#epochKey = foldIn(key(this.seed), epoch)
    this.#epoch = epoch
    if (this.#words.length !== 2 * n) this.#words = new Uint32Array(2 * n)
    const words = bits(foldIn(this.#epochKey!, this.count % 2 ** 32), 2 * n, { out: this.#words })
    this.count++
    for (let i = 0; i < n; i++) {
      out[i] = ((words[2 * i]! >>> 5) * 2 ** 26 + (words[2 * i + 1]! >>> 6)) / 2 ** 53
    }
    return out
  }
}

/** Fills `out` with integers in 0 .. n - 1, each drawn by itself. Their odds differ by less than n 2^-53 of themselves. */
export function drawWithReplacement(stream: DrawStream, n: number, out: Float64Array): void {
  stream.fill(out)
  for (let i = 0; i < out.length; i++) out[i] = Math.floor(out[i]! * n)
}

/** Fills `out` with different integers in 0 .. n - 1, in random order: a shuffle of all of them, cut off. */
export function drawWithoutReplacement(stream: DrawStream, n: number, out: Float64Array): void {
  stream.fill(out)
  // The shuffled list, as far as it differs from 0, 1, 2 ...
  const moved = new Map<number, number>()
  for (let i = 0; i < out.length; i++) {
    const j = i + Math.floor(out[i]! * (n - i))
    const chosen = moved.get(j) ?? j
    moved.set(j, moved.get(i) ?? i)
    out[i] = chosen
  }
}
