import { round } from 'tpu-toolkit/formats'
import type { FloatDType } from 'tpu-toolkit/tensor'

const roundTo = (value: number, dtype: FloatDType): number =>
  dtype === 'float32'
    ? Math.fround(value)
    : dtype === 'float64'
      ? value
      : round(value, dtype, { saturate: true })

interface Facts {
  readonly u: number
  readonly tiny: number
  readonly max: number
}

const known = new Map<FloatDType, Facts>()

/** The facts that the draws need: unit roundoff, smallest and largest positive value. Asked for with every term, found once. */
export function factsOf(dtype: FloatDType): Facts {
  const facts = known.get(dtype) ?? foundFacts(dtype)
  known.set(dtype, facts)
  return facts
}

function foundFacts(dtype: FloatDType): Facts {
  const max = roundTo(1e39, dtype)
  let u = 1
  while (roundTo(1 + 2 * u, dtype) > 1) u /= 2
  let tiny = 1
  while (tiny / 2 > 0 && roundTo(tiny / 2, dtype) > 0) tiny = tiny / 2
  return dtype === 'float32' ? { u, tiny, max: (2 - 2 ** -23) * 2 ** 127 } : { u, tiny, max }
}

/** Ways to draw n terms that hurt a sum, each exact in the dtype. */
export const hurts: Record<string, (n: number, dtype: FloatDType, random: () => number) => number[]> = {
  /** Grows until nothing is added any more. */
  positive: (n, _, random) => Array.from({ length: n }, () => 0.5 + random() / 2),
  /** 1 and then half an ulp of it each time: all of it is lost. */
  absorbed: (n, dtype) => Array.from({ length: n }, (_, i) => (i === 0 ? 1 : factsOf(dtype).u)),
  /** The same with a little less than the ulp, rounded up each time. */
  raised: (n, dtype) => Array.from({ length: n }, (_, i) => (i === 0 ? 1 : factsOf(dtype).u * 1.5)),
  /** Each term and, somewhere, its negative. */
  cancelling: (n, _, random) => {
    const terms = Array.from({ length: n }, () => random() * 2 ** (8 * random()))
    for (let i = 1; i < n; i += 2) terms[i] = -terms[i - 1]! * (random() < 0.1 ? 1 + random() / 50 : 1)
    for (let i = n - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1))
      ;[terms[i], terms[j]] = [terms[j]!, terms[i]!]
    }
    return terms
  },
  /** A large term, many small ones, the large one back. */
  swallowed: (n, _, random) =>
    Array.from({ length: n }, (_, i) => (i === 0 ? 300 : i === n - 1 ? -300 : random() - 0.4)),
  /** Every binade of the dtype, either sign. */
  wide: (n, dtype, random) => {
    const { tiny, max } = factsOf(dtype)
    const span = Math.log2(max / n) - Math.log2(tiny)
    return Array.from({ length: n }, () => (random() - 0.5) * 2 ** (Math.log2(tiny) + span * random()))
  },
  /** Around the smallest normal number and below. */
  subnormal: (n, dtype, random) =>
    Array.from({ length: n }, () => (random() - 0.3) * factsOf(dtype).tiny * 40),
  /** Falling by half: each addition cuts what the next would need. */
  falling: (n, _, random) =>
    Array.from({ length: n }, (_, i) => (1 + random()) * 2 ** (-i % 12) * (i % 5 ? 1 : -1)),
}

/** The names of `hurts`, drawn and rounded to the dtype. */
export function hurtfulTerms(name: string, n: number, dtype: FloatDType, random: () => number): Float64Array {
  return Float64Array.from(hurts[name]!(n, dtype, random), (value) => roundTo(value, dtype))
}
