/**
 * The discrete Fourier transform of the last `rank` axes, in place, in float64: radix 2 where a length is a power of two, else
 * Bluestein's convolution; angles are taken of reduced products, so that they are exact to the last bit of sine and cosine.
 */
export function fourier(
  re: Float64Array,
  im: Float64Array,
  shape: readonly number[],
  rank: number,
  inverse: boolean,
): void {
  let inner = 1
  for (let axis = shape.length - 1; axis >= shape.length - rank; axis--) {
    const length = shape[axis]!
    if (length > 1) {
      const line = lineTransform(length, inverse)
      const [a, b] = [new Float64Array(length), new Float64Array(length)]
      for (let start = 0; start < re.length; start += length * inner) {
        for (let i = start; i < start + inner; i++) {
          for (let k = 0; k < length; k++) {
            a[k] = re[i + k * inner]!
            b[k] = im[i + k * inner]!
          }
          line(a, b)
          for (let k = 0; k < length; k++) {
            re[i + k * inner] = inverse ? a[k]! / length : a[k]!
            im[i + k * inner] = inverse ? b[k]! / length : b[k]!
          }
        }
      }
    }
    inner *= length
  }
}

type Line = (re: Float64Array, im: Float64Array) => void

function lineTransform(n: number, inverse: boolean): Line {
  return (n & (n - 1)) === 0 ? radix2(n, inverse) : bluestein(n, inverse)
}

/** cos and sin of 2 pi k / n; exact where they are 0 or 1. */
function rootOf(k: number, n: number): readonly [number, number] {
  const at = ((k % n) + n) % n
  if (4 * at === 0) return [1, 0]
  if (4 * at === n) return [0, 1]
  if (2 * at === n) return [-1, 0]
  if (4 * at === 3 * n) return [0, -1]
  const angle = (2 * Math.PI * at) / n
  return [Math.cos(angle), Math.sin(angle)]
}

function radix2(n: number, inverse: boolean): Line {
  const sign = inverse ? 1 : -1
  const cos = new Float64Array(n / 2)
  const sin = new Float64Array(n / 2)
  for (let k = 0; k < n / 2; k++) {
    const [c, s] = rootOf(k, n)
    cos[k] = c
    sin[k] = sign * s
  }
  return (re, im) => {
    for (let i = 1, j = 0; i < n; i++) {
      let bit = n >> 1
      for (; j & bit; bit >>= 1) j ^= bit
      j ^= bit
      if (i < j) {
        ;[re[i], re[j]] = [re[j]!, re[i]!]
        ;[im[i], im[j]] = [im[j]!, im[i]!]
      }
    }
    for (let size = 2; size <= n; size *= 2) {
      const half = size / 2
      const step = n / size
      for (let start = 0; start < n; start += size) {
        for (let k = 0; k < half; k++) {
          const [c, s] = [cos[k * step]!, sin[k * step]!]
          const [p, q] = [start + k, start + k + half]
          const x = re[q]! * c - im[q]! * s
          const y = re[q]! * s + im[q]! * c
          re[q] = re[p]! - x
          im[q] = im[p]! - y
          re[p] = re[p]! + x
          im[p] = im[p]! + y
        }
      }
    }
  }
}

/** A transform of any length as a convolution with e^(i pi k^2 / n), by transforms of a power of two. */
function bluestein(n: number, inverse: boolean): Line {
  const sign = inverse ? 1 : -1
  let m = 1
  while (m < 2 * n - 1) m *= 2
  const [forward, backward] = [radix2(m, false), radix2(m, true)]
  const cos = new Float64Array(n)
  const sin = new Float64Array(n)
  for (let k = 0; k < n; k++) {
    const [c, s] = rootOf((k * k) % (2 * n), 2 * n)
    cos[k] = c
    sin[k] = sign * s
  }
  const [kernelRe, kernelIm] = [new Float64Array(m), new Float64Array(m)]
  for (let k = 0; k < n; k++) {
    for (const at of k === 0 ? [0] : [k, m - k]) {
      kernelRe[at] = cos[k]!
      kernelIm[at] = -sin[k]!
    }
  }
  forward(kernelRe, kernelIm)
  return (re, im) => {
    // The constant term and the alternating one as plain sums: where the input is real they are real to the last bit.
    const [sumRe, sumIm] = [alternating(re, 1), alternating(im, 1)]
    const [turnRe, turnIm] = n % 2 === 0 ? [alternating(re, -1), alternating(im, -1)] : [0, 0]
    const [a, b] = [new Float64Array(m), new Float64Array(m)]
    for (let k = 0; k < n; k++) {
      a[k] = re[k]! * cos[k]! - im[k]! * sin[k]!
      b[k] = re[k]! * sin[k]! + im[k]! * cos[k]!
    }
    forward(a, b)
    for (let k = 0; k < m; k++) {
      const [x, y] = [a[k]!, b[k]!]
      a[k] = x * kernelRe[k]! - y * kernelIm[k]!
      b[k] = x * kernelIm[k]! + y * kernelRe[k]!
    }
    backward(a, b)
    for (let k = 0; k < n; k++) {
      const [x, y] = [a[k]! / m, b[k]! / m]
      re[k] = x * cos[k]! - y * sin[k]!
      im[k] = x * sin[k]! + y * cos[k]!
    }
    ;[re[0], im[0]] = [sumRe, sumIm]
    if (n % 2 === 0) [re[n / 2], im[n / 2]] = [turnRe, turnIm]
  }
}

/** x0 + s x1 + x2 + s x3 + ..., s being 1 or -1. */
function alternating(x: Float64Array, s: number): number {
  let sum = 0
  for (let i = 0; i < x.length; i++) sum += i % 2 === 0 ? x[i]! : s * x[i]!
  return sum
}
