import { unary } from '../../numbers/functions/index.js'

/** Where a rising function reaches a level, by halving an interval that contains the place. */
function solve(f: (x: number) => number, level: number, low: number, high: number): number {
  let [a, b] = [low, high]
  for (let i = 0; i < 200 && b - a > 2 ** -52 * Math.abs(b); i++) {
    const middle = (a + b) / 2
    if (f(middle) < level) a = middle
    else b = middle
  }
  return (a + b) / 2
}

/** The value that a standard normal number stays below with probability p. */
export function normalQuantile(p: number): number {
  return solve((x) => unary.erfc(-x / Math.SQRT2) / 2, p, -40, 40)
}

/** The same of a chi-square number, by the series of the incomplete gamma function (DLMF 8.7.1). */
export function chiSquareQuantile(p: number, freedom: number): number {
  const s = freedom / 2
  const below = (x: number): number => {
    const half = x / 2
    let term = 1 / s
    let total = term
    for (let k = 1; term > total * 2 ** -54; k++) {
      term *= half / (s + k)
      total += term
    }
    return total * Math.exp(s * Math.log(half) - half - unary.lgamma(s))
  }
  return solve(below, p, 0, 20 * freedom + 100)
}

/** The same of Student's t. Its probability is summed in closed form (Abramowitz, Stegun 26.7.3 and 26.7.4). */
export function studentQuantile(p: number, freedom: number): number {
  const within = (t: number): number => {
    const angle = Math.atan(t / Math.sqrt(freedom))
    const [sine, cosine] = [Math.sin(angle), Math.cos(angle)]
    const odd = freedom % 2 === 1
    let term = odd ? cosine : 1
    let total = freedom === 1 ? 0 : term
    for (let k = odd ? 3 : 2; k < freedom; k += 2) {
      term *= (cosine ** 2 * (k - 1)) / k
      total += term
    }
    return odd ? (2 / Math.PI) * (angle + sine * total) : sine * total
  }
  return solve((t) => (1 + Math.sign(t) * within(Math.abs(t))) / 2, p, -1e9, 1e9)
}
