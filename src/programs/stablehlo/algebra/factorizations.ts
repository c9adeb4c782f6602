/** A matrix of float64 numbers, row by row. */
export interface Matrix {
  readonly values: Float64Array
  readonly rows: number
  readonly columns: number
}

/** The Cholesky factor of a symmetric matrix, of which one triangle is read; all NaN from the column on where a pivot is not positive. */
export function choleskyOf(
  { values, rows: n }: Matrix,
  lower: boolean,
): { values: Float64Array; failed: number } {
  const l = new Float64Array(n * n)
  const at = (i: number, j: number): number => (lower ? values[i * n + j]! : values[j * n + i]!)
  let failed = 0
  for (let j = 0; j < n; j++) {
    for (let i = j; i < n; i++) {
      let sum = at(i, j)
      for (let k = 0; k < j; k++) sum -= l[i * n + k]! * l[j * n + k]!
      if (i > j) {
        l[i * n + j] = sum / l[j * n + j]!
      } else {
        if (!(sum > 0) && failed === 0) failed = j + 1
        l[i * n + j] = sum > 0 ? Math.sqrt(sum) : Number.NaN
      }
    }
  }
  if (failed > 0) for (let i = 0; i < n; i++) for (let j = 0; j <= i; j++) l[i * n + j] = Number.NaN
  return { values: lower ? l : turned(l, n, n), failed }
}

/** The transpose of a matrix of rows and columns. */
export function turned(values: Float64Array, rows: number, columns: number): Float64Array {
  const out = new Float64Array(values.length)
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) out[j * rows + i] = values[i * columns + j]!
  }
  return out
}

/** X of op(a) X = b, or of X op(a) = b, by substitution. */
export function solvedTriangle(
  a: Matrix,
  b: Matrix,
  how: {
    readonly left: boolean
    readonly lower: boolean
    readonly unit: boolean
    readonly transposed: boolean
  },
): Float64Array {
  // X op(a) = b is op(a)' X' = b'.
  if (!how.left) {
    const flipped = { values: turned(b.values, b.rows, b.columns), rows: b.columns, columns: b.rows }
    const x = solvedTriangle(a, flipped, { ...how, left: true, transposed: !how.transposed })
    return turned(x, b.columns, b.rows)
  }
  const n = a.rows
  const at = (i: number, j: number): number => (how.transposed ? a.values[j * n + i]! : a.values[i * n + j]!)
  const isForward = how.lower !== how.transposed
  const x = b.values.slice()
  const m = b.columns
  for (let step = 0; step < n; step++) {
    const i = isForward ? step : n - 1 - step
    for (let column = 0; column < m; column++) {
      let sum = x[i * m + column]!
      for (let done = 0; done < step; done++) {
        const j = isForward ? done : n - 1 - done
        sum -= at(i, j) * x[j * m + column]!
      }
      x[i * m + column] = how.unit ? sum : sum / at(i, i)
    }
  }
  return x
}

/** L and U in one matrix, by Gaussian elimination with row exchanges; the rows exchanged, counted from 1; the first zero pivot, or 0. */
export function luOf({ values, rows: m, columns: n }: Matrix): {
  readonly values: Float64Array
  readonly pivots: Int32Array
  readonly failed: number
} {
  const a = values.slice()
  const pivots = new Int32Array(Math.min(m, n))
  let failed = 0
  for (let k = 0; k < pivots.length; k++) {
    let best = k
    for (let i = k + 1; i < m; i++) if (Math.abs(a[i * n + k]!) > Math.abs(a[best * n + k]!)) best = i
    pivots[k] = best + 1
    if (a[best * n + k] === 0) {
      failed ||= k + 1
      continue
    }
    if (best !== k) {
      for (let j = 0; j < n; j++) [a[k * n + j], a[best * n + j]] = [a[best * n + j]!, a[k * n + j]!]
    }
    for (let i = k + 1; i < m; i++) {
      a[i * n + k] = a[i * n + k]! / a[k * n + k]!
      for (let j = k + 1; j < n; j++) a[i * n + j] = a[i * n + j]! - a[i * n + k]! * a[k * n + j]!
    }
  }
  return { values: a, pivots, failed }
}

/** R above the diagonal and the Householder vectors below it, and their factors, as LAPACK's geqrf. */
export function qrOf({ values, rows: m, columns: n }: Matrix): {
  readonly values: Float64Array
  readonly factors: Float64Array
} {
  const a = values.slice()
  const factors = new Float64Array(Math.min(m, n))
  for (let k = 0; k < factors.length; k++) {
    let below = 0
    for (let i = k + 1; i < m; i++) below = Math.hypot(below, a[i * n + k]!)
    const alpha = a[k * n + k]!
    if (below === 0) continue
    const beta = -Math.sign(alpha || 1) * Math.hypot(alpha, below)
    const tau = (beta - alpha) / beta
    factors[k] = tau
    for (let i = k + 1; i < m; i++) a[i * n + k] = a[i * n + k]! / (alpha - beta)
    a[k * n + k] = beta
    for (let j = k + 1; j < n; j++) {
      let sum = a[k * n + j]!
      for (let i = k + 1; i < m; i++) sum += a[i * n + k]! * a[i * n + j]!
      a[k * n + j] = a[k * n + j]! - tau * sum
      for (let i = k + 1; i < m; i++) a[i * n + j] = a[i * n + j]! - tau * sum * a[i * n + k]!
    }
  }
  return { values: a, factors }
}

/** The first columns of Q from Householder vectors and their factors, as LAPACK's orgqr. */
export function qOf({ values, rows: m, columns: n }: Matrix, factors: Float64Array): Float64Array {
  const q = new Float64Array(m * n)
  for (let i = 0; i < Math.min(m, n); i++) q[i * n + i] = 1
  for (let k = factors.length - 1; k >= 0; k--) {
    for (let j = 0; j < n; j++) {
      let sum = q[k * n + j]!
      for (let i = k + 1; i < m; i++) sum += values[i * n + k]! * q[i * n + j]!
      sum *= factors[k]!
      q[k * n + j] = q[k * n + j]! - sum
      for (let i = k + 1; i < m; i++) q[i * n + j] = q[i * n + j]! - sum * values[i * n + k]!
    }
  }
  return q
}
