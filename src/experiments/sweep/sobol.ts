import { checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import { bits, type Key } from '../../tensors/random/index.js'
import { directionNumbers } from './directionNumbers.js'
import { atPoints, type Search } from './search.js'

/** How many configurations are tried, and whether they are shifted. */
export interface SobolOptions {
  readonly trials: number
  /** Shifts every coordinate by a random number (exclusive or of its bits). Default: none; the first trial is every lower end. */
  readonly key?: Key
}

const names: OptionTable<SobolOptions> = { trials: 'required', key: 'optional' }

/**
 * Configurations at the points of Sobol's sequence, which fill the space more evenly than random ones: of 2^k trials each
 * half, quarter ... of a parameter's range has the same number. Take a power of two. More trials do not change the first ones.
 *
 * Throws    the search throws a RangeError where more than 64 parameters have a choice.
 *
 * @example sobol({ trials: 4 }).configurations({ a: linear(0, 1), b: linear(0, 1) }) // [{ a: 0, b: 0 }, { a: 0.5, b: 0.5 }, { a: 0.75, b: 0.25 }, { a: 0.25, b: 0.75 }]
 */
export function sobol(options: SobolOptions): Search {
  checkOptions('sobol', options, names, { positional: 'trials' })
  const { trials, key } = options
  checkInteger('sobol', 'trials', trials, 1, 1e6)
  if (key !== undefined) bits(key, 1)
  return {
    name: 'sobol',
    configurations: (space) => {
      let points: Uint32Array[] = []
      let shift = new Uint32Array(0)
      return atPoints('sobol', space, trials, (index, dimensions) => {
        if (index === 0) {
          points = sobolPoints(trials, dimensions)
          if (key !== undefined) shift = bits(key, dimensions) as Uint32Array<ArrayBuffer>
        }
        return Array.from(points[index]!, (word, j) => ((word ^ (shift[j] ?? 0)) >>> 0) * 2 ** -32)
      })
    },
  }
}

/**
 * The first points of Sobol's sequence, each coordinate a word of 32 bits: a fraction of 2^32.
 *
 * Point n is point n - 1 with the direction of the lowest zero bit of n - 1 added (exclusive or), in Gray code's order, as
 * Antonov and Saleev showed.
 */
export function sobolPoints(count: number, dimensions: number): Uint32Array[] {
  if (dimensions > directionNumbers.length + 1) {
    throw new RangeError(
      `sobol: more parameters vary than there are directions for, ${directionNumbers.length + 1} [${dimensions}]`,
    )
  }
  const directions = Array.from({ length: dimensions }, (_, j) => directionsOf(j))
  const points: Uint32Array[] = []
  let last = new Uint32Array(dimensions)
  for (let n = 0; n < count; n++) {
    if (n > 0) {
      const bit = 31 - Math.clz32(~(n - 1) & n)
      last = last.map((word, j) => word ^ directions[j]![bit]!)
    }
    points.push(last)
  }
  return points
}

/** The 32 directions of a dimension: v_i = m_i 2^(32 - i), the first m given, the others by the polynomial's recurrence. */
function directionsOf(dimension: number): Uint32Array {
  const v = new Uint32Array(32)
  if (dimension === 0) return v.map((_, i) => 2 ** (31 - i))
  const [polynomial, ...first] = directionNumbers[dimension - 1]!
  const degree = first.length
  for (let i = 0; i < 32; i++) {
    if (i < degree) {
      v[i] = first[i]! << (31 - i)
      continue
    }
    v[i] = v[i - degree]! ^ (v[i - degree]! >>> degree)
    for (let k = 1; k < degree; k++) {
      if ((polynomial! >> (degree - k)) & 1) v[i] = v[i]! ^ v[i - k]!
    }
  }
  return v
}
