import { decided, nearest } from './float32/decide.js'
import { logValue } from './float32/logarithm.js'
import { at, gammas, lgammaEnd, lgammaHard } from './float32/numbers.js'
import { sinPi } from './float32/trigonometric.js'
import { lgamma } from './lgamma.js'

/**
 * log |Gamma(x)| of a float32, rounded once to float32: by float64 where that decides, else by `lgamma`.
 *
 * Special   as `lgamma`.
 * Cost      20 to 60 ns; about once in 2^17, and near the zeros below 0, that of `lgamma`.
 *
 * @example float32Lgamma(3) // 0.6931471824645996
 */
export function float32Lgamma(x: number): number {
  if (Number.isNaN(x)) return x
  if (Math.abs(x) === Infinity || (x <= 0 && Number.isInteger(x))) return Infinity
  const y = x > 0 ? positive(x) : x > -20.5 ? shifted(x) : reflected(x)
  // Below 0 it is a difference: its error is relative to the larger term, at most 60 in what is close to 0.
  const error = 2 ** -43 * (x > 0 ? Math.abs(y) : Math.abs(y) + 64)
  if (Math.fround(y - error) === Math.fround(y + error)) return Math.fround(y)
  const better = Math.abs(x) < 2 ** -60 ? -logValue(Math.abs(x)) : lgamma(x)
  return decided(better, x, lgammaHard, lgammaEnd)
}

/** log Gamma(2 + w) for |w| <= 1/2. */
function aboutTwo(w: number): number {
  let sum = at(gammas + 19)
  for (let i = 18; i >= 0; i--) sum = sum * w + at(gammas + i)
  return sum * w
}

function positive(x: number): number {
  if (x < 0.5) return aboutTwo(x) - logValue(x * (1 + x))
  if (x < 1.5) return aboutTwo(x - 1) - logValue(x)
  if (x >= 8) return stirling(x)
  let product = 1
  let rest = x
  while (rest > 2.5) {
    rest -= 1
    product *= rest
  }
  return product === 1 ? aboutTwo(rest - 2) : logValue(product) + aboutTwo(rest - 2)
}

/** DLMF 5.11.1 for x >= 8. */
function stirling(x: number): number {
  const z = 1 / (x * x)
  const rest = 1 / 1188 + z * (-691 / 360360 + z * (1 / 156 + z * (-3617 / 122400)))
  const series = (1 / 12 + z * (-1 / 360 + z * (1 / 1260 + z * (-1 / 1680 + z * rest)))) / x
  return (x - 0.5) * (logValue(x) - 1) + (0.4189385332046727 + series)
}

/** With x = w - n and |w| <= 1/2: Gamma(x) = Gamma(2 + w) / (w (w + 1) (w - 1) (w - 2) ... (w - n)). */
function shifted(x: number): number {
  const n = -nearest(x)
  const w = x + n
  let product = Math.abs(w) * (1 + w)
  for (let k = 1; k <= n; k++) product *= k - w
  return aboutTwo(w) - logValue(product)
}

/** log(pi / |x sin(pi x)|) - log Gamma(-x). */
function reflected(x: number): number {
  const sine = Math.abs(sinPi(x - nearest(x)))
  return logValue(Math.PI / (-x * sine)) - stirling(-x)
}
