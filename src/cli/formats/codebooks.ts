import { assign, bitsAccounting, kmeans } from '../../models/vq/index.js'
import type { PiecewiseTensor, Survey } from '../../tensors/blocks/index.js'
import { key } from '../../tensors/random/index.js'
import { sizeOf, type Tensor, take, tensor } from '../../tensors/tensor/index.js'

/** What one codebook for each tensor makes of a data set, all tensors together. */
export interface CodebookRow {
  readonly data: string
  /** `vq 2 x 256`: a code for 2 neighbours, 256 codes. */
  readonly way: string
  readonly values: number
  /** Of codes and tables. */
  readonly bits: number
  /** Means over all values, errors relative to each tensor's own squares, as for formats; Infinity: all are exact. */
  readonly sqnr: number
  /** Codes that nothing has, of all tensors. */
  readonly dead: number
  /** Share of the vectors that get another code where distances are expanded and rounded to bfloat16, sums in float32. */
  readonly wrongCodes: number
}

const shapes = [
  { dim: 1, k: 16 },
  { dim: 2, k: 16 },
  { dim: 2, k: 256 },
  { dim: 4, k: 256 },
] as const

/** Vectors that a code is fitted to. */
const perCode = 64
const iterations = 10

/** Codebooks fitted to every tensor, which is read twice for each and never held whole. */
export function measureCodebooks(
  data: string,
  tensors: readonly { readonly tensor: PiecewiseTensor; readonly known: Survey }[],
): CodebookRow[] {
  return shapes.map(({ dim, k }) => {
    const each = tensors.map(({ tensor: one }) => coded(one, dim, k))
    const values = each.reduce((sum, one) => sum + one.values, 0)
    const vectors = each.reduce((sum, one) => sum + one.vectors, 0)
    const mean = (of: (one: Coded) => number): number =>
      each.reduce((sum, one) => sum + one.values * of(one), 0) / values
    const noise = mean(({ error, square }) => error / square)
    return {
      ...{ data, way: `vq ${dim} x ${k}`, values },
      bits: mean(({ bits }) => bits),
      sqnr: noise === 0 ? Infinity : -10 * Math.log10(noise),
      dead: each.reduce((sum, one) => sum + one.dead, 0),
      wrongCodes: each.reduce((sum, one) => sum + one.wrong, 0) / vectors,
    }
  })
}

interface Coded {
  readonly values: number
  readonly vectors: number
  readonly bits: number
  readonly square: number
  readonly error: number
  readonly dead: number
  readonly wrong: number
}

function coded(given: PiecewiseTensor, dim: number, most: number): Coded {
  const values = sizeOf(given.shape)
  const vectors = Math.ceil(values / dim)
  const k = Math.min(most, vectors)
  const { centroids } = kmeans(spread(given, dim, vectors, perCode * k), {
    ...{ k, key: key(0), iterations, dtype: 'bfloat16' },
  })
  const used = new Uint8Array(k)
  let [square, error, wrong] = [0, 0, 0]
  for (const x of chunks(given, dim)) {
    const codes = assign(x, centroids)
    const rounded = assign(x, centroids, { form: 'expanded', dtype: 'bfloat16', accumulate: 'float32' }).data
    const [exact, restored] = [x.toNumbers(), take(centroids, codes, { axis: 0 }).toNumbers()]
    codes.data.forEach((code, i) => {
      used[code] = 1
      if (code !== rounded[i]) wrong++
    })
    exact.forEach((value, i) => {
      square += value * value
      error += (value - restored[i]!) ** 2
    })
  }
  const { bitsPerValue } = bitsAccounting({ values, dim, codebookSize: k })
  const dead = used.reduce((sum, one) => sum - one, k)
  return { values, vectors, bits: bitsPerValue, square, error, dead, wrong }
}

/** At most so many vectors of a tensor, spread evenly over it. */
function spread(given: PiecewiseTensor, dim: number, vectors: number, most: number): Tensor<'float32'> {
  const count = Math.min(vectors, most)
  const kept = new Float32Array(count * dim)
  let [at, next] = [0, 0]
  for (const x of chunks(given, dim)) {
    const rows = x.shape[0]!
    while (next < count && Math.floor((next * vectors) / count) < at + rows) {
      const row = Math.floor((next * vectors) / count) - at
      kept.set(x.data.subarray(row * dim, (row + 1) * dim), next * dim)
      next++
    }
    at += rows
  }
  return tensor(kept, { shape: [count, dim] })
}

/** A tensor's numbers in order as rows of `dim` neighbours, piece by piece; what is missing in the last is 0. */
function* chunks(given: PiecewiseTensor, dim: number): Generator<Tensor<'float32'>> {
  let rest = new Float32Array(0)
  for (const { values } of given.pieces()) {
    const joined = new Float32Array(rest.length + values.length)
    joined.set(rest)
    joined.set(values, rest.length)
    const whole = joined.length - (joined.length % dim)
    if (whole > 0) yield tensor(joined.subarray(0, whole), { shape: [whole / dim, dim] })
    rest = joined.slice(whole)
  }
  if (rest.length === 0) return
  const last = new Float32Array(dim)
  last.set(rest)
  yield tensor(last, { shape: [1, dim] })
}
