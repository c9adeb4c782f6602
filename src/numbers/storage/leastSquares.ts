/** Codes of numbers, and what they stand for by least squares. */
interface Fit {
  readonly scale: number
  readonly offset: number
}

/**
 * The scale with which `level`, the nearest of a set of numbers, makes least of the squared error of values ~ scale * level:
 * the best of several beginnings, each followed by the scale that its levels ask for.
 */
export function bestScale(
  values: Float32Array,
  beginnings: readonly number[],
  level: (quotient: number) => number,
): number {
  let [best, gain] = [0, 0]
  for (const scale of beginnings) {
    if (scale === 0 || !Number.isFinite(scale)) continue
    let [product, square] = [0, 0]
    for (const value of values) {
      const chosen = level(value / scale)
      product += value * chosen
      square += chosen * chosen
    }
    // What the levels explain of the sum of squares.
    if (square > 0 && (product * product) / square > gain) {
      gain = (product * product) / square
      best = product / square
    }
  }
  return best
}

/**
 * Scale and offset, the offset not above 0, with which codes 0 .. most make least of the squared error of
 * values ~ scale * code + offset: the best of several beginnings.
 */
export function bestScaleAndOffset(values: Float32Array, most: number): Fit {
  let [least, greatest] = [0, Number.NEGATIVE_INFINITY]
  for (const value of values) {
    least = Math.min(least, value)
    greatest = Math.max(greatest, value)
  }
  if (!(greatest > least)) return { scale: 0, offset: least }
  let best: Fit = { scale: (greatest - least) / most, offset: least }
  let error = errorOf(values, most, best)
  for (let step = -8; step <= 8; step++) {
    const begun = (greatest - least) / (most + step / 8)
    const fit = refined(values, most, { scale: begun, offset: least })
    const found = errorOf(values, most, fit)
    if (found < error) [best, error] = [fit, found]
  }
  return best
}

const codeOf = (value: number, most: number, { scale, offset }: Fit): number =>
  Math.min(Math.max(Math.round((value - offset) / scale), 0), most)

function errorOf(values: Float32Array, most: number, fit: Fit): number {
  let sum = 0
  for (const value of values) sum += (codeOf(value, most, fit) * fit.scale + fit.offset - value) ** 2
  return sum
}

/** The line through the codes that a fit gives, its offset not above 0. */
function refined(values: Float32Array, most: number, fit: Fit): Fit {
  let [codes, squares, sum, products] = [0, 0, 0, 0]
  for (const value of values) {
    const code = codeOf(value, most, fit)
    codes += code
    squares += code * code
    sum += value
    products += value * code
  }
  const determinant = values.length * squares - codes * codes
  if (determinant <= 0) return fit
  const offset = (squares * sum - codes * products) / determinant
  if (offset <= 0) return { scale: (values.length * products - codes * sum) / determinant, offset }
  return { scale: squares > 0 ? products / squares : fit.scale, offset: 0 }
}
