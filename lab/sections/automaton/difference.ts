import { type Grown, side } from './automatonMessages.js'

/** The decades that the shades of a difference go over: below the first it is not seen, from the last on it is full. */
export const [faintest, strongest] = [-4, 0]

/** For each cell the largest difference of red, green, blue and opacity. */
export function differenceOf({ cells }: Grown, from: Grown): Float64Array {
  return Float64Array.from({ length: side * side }, (_, i) => {
    let most = 0
    for (let k = 4 * i; k < 4 * i + 4; k++) {
      const off = Math.abs(cells[k]! - from.cells[k]!)
      most = off <= most ? most : Number.isNaN(off) ? Infinity : off
    }
    return most
  })
}

/** From 0, not seen, to 1. */
export function shadeOf(difference: number): number {
  const decade = Math.log10(difference)
  return Math.min(1, Math.max(0, (decade - faintest) / (strongest - faintest)))
}
