import { type Matrix, turned } from './factorizations.js'

/** Sweeps after which Jacobi's methods stop whatever is left. */
const mostSweeps = 60

/**
 * Eigenvalues of a symmetric matrix in ascending order, and its eigenvectors as columns, by Jacobi's rotations in float64; of the matrix one
 * triangle is read.
 */
export function eigenOf(
  { values, rows: n }: Matrix,
  lower: boolean,
): { readonly values: Float64Array; readonly vectors: Float64Array } {
  const a = new Float64Array(n * n)
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      const x = lower ? values[i * n + j]! : values[j * n + i]!
      a[i * n + j] = x
      a[j * n + i] = x
    }
  }
  const v = identity(n)
  for (let sweep = 0; sweep < mostSweeps; sweep++) {
    let rotated = false
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        const off = a[p * n + q]!
        const [x, y] = [a[p * n + p]!, a[q * n + q]!]
        if (!(Math.abs(off) > Number.EPSILON * Math.sqrt(Math.abs(x * y)))) continue
        if (Math.abs(off) < 2 ** -1000) continue
        rotated = true
        const theta = (y - x) / (2 * off)
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1))
        const c = 1 / Math.hypot(t, 1)
        const s = t * c
        for (let k = 0; k < n; k++) turn(a, k * n + p, k * n + q, c, s)
        for (let k = 0; k < n; k++) turn(a, p * n + k, q * n + k, c, s)
        for (let k = 0; k < n; k++) turn(v, k * n + p, k * n + q, c, s)
      }
    }
    if (!rotated) break
  }
  const order = Array.from({ length: n }, (_, i) => i).sort((i, j) => a[i * n + i]! - a[j * n + j]!)
  const vectors = new Float64Array(n * n)
  for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) vectors[i * n + k] = v[i * n + order[k]!]!
  return { values: Float64Array.from(order, (i) => a[i * n + i]!), vectors }
}

/** Two elements turned by an angle of a cosine and a sine. */
function turn(x: Float64Array, i: number, j: number, c: number, s: number): void {
  const [a, b] = [x[i]!, x[j]!]
  x[i] = c * a - s * b
  x[j] = s * a + c * b
}

function identity(n: number): Float64Array {
  const x = new Float64Array(n * n)
  for (let i = 0; i < n; i++) x[i * n + i] = 1
  return x
}

/** A singular value decomposition, values descending. */
interface Singular {
  readonly values: Float64Array
  /** m by m, or m by k: as columns. */
  readonly u: Float64Array
  /** n by n, or k by n: as rows. */
  readonly vt: Float64Array
}

/**
 * Singular values in descending order and both sets of vectors, by one-sided Jacobi rotations in float64; `full` completes the vectors of
 * the longer side to a whole basis.
 */
export function singularOf(matrix: Matrix, full: boolean): Singular {
  const { rows: m, columns: n } = matrix
  if (m < n) {
    const values = new Float64Array(m * n)
    for (let i = 0; i < m; i++) for (let j = 0; j < n; j++) values[j * m + i] = matrix.values[i * n + j]!
    const found = singularOf({ values, rows: n, columns: m }, full)
    const wide = full ? n : m
    return {
      values: found.values,
      u: turned(found.vt, m, m),
      vt: turned(found.u, n, wide),
    }
  }
  // Columns as vectors of their own.
  const columns = Array.from({ length: n }, (_, j) =>
    Float64Array.from({ length: m }, (__, i) => matrix.values[i * n + j]!),
  )
  const v = Array.from({ length: n }, (_, j) =>
    Float64Array.from({ length: n }, (__, i) => (i === j ? 1 : 0)),
  )
  for (let sweep = 0; sweep < mostSweeps; sweep++) {
    let rotated = false
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        const [x, y] = [columns[p]!, columns[q]!]
        const [alpha, beta, gamma] = [dot(x, x), dot(y, y), dot(x, y)]
        if (!(Math.abs(gamma) > Number.EPSILON * Math.sqrt(alpha * beta))) continue
        rotated = true
        const zeta = (beta - alpha) / (2 * gamma)
        const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(zeta, 1))
        const c = 1 / Math.hypot(t, 1)
        turnVectors(x, y, c, t * c)
        turnVectors(v[p]!, v[q]!, c, t * c)
      }
    }
    if (!rotated) break
  }
  const sizes = columns.map((column) => Math.hypot(...column))
  const order = sizes.map((_, i) => i).sort((i, j) => sizes[j]! - sizes[i]!)
  const width = full ? m : n
  const basis: Float64Array[] = []
  for (const j of order) {
    const size = sizes[j]!
    if (size > (sizes[order[0]!] ?? 0) * 2 ** -52 * m) basis.push(columns[j]!.map((x) => x / size))
    else basis.push(completing(basis, m))
  }
  while (basis.length < width) basis.push(completing(basis, m))
  const u = new Float64Array(m * width)
  for (const [k, vector] of basis.entries()) for (let i = 0; i < m; i++) u[i * width + k] = vector[i]!
  const vt = new Float64Array(n * n)
  for (const [k, j] of order.entries()) vt.set(v[j]!, k * n)
  return { values: Float64Array.from(order, (j) => sizes[j]!), u, vt }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

function turnVectors(a: Float64Array, b: Float64Array, c: number, s: number): void {
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i]!, b[i]!]
    a[i] = c * x - s * y
    b[i] = s * x + c * y
  }
}

/** A unit vector at right angles to all of a list. */
function completing(basis: readonly Float64Array[], m: number): Float64Array {
  let best: Float64Array | undefined
  let length = -1
  for (let k = 0; k < m && length < 0.5; k++) {
    const made = Float64Array.from({ length: m }, (_, i) => (i === k ? 1 : 0))
    // Twice, so that what the first round leaves by rounding goes too.
    for (let round = 0; round < 2; round++) {
      for (const vector of basis) {
        const along = dot(made, vector)
        for (let i = 0; i < m; i++) made[i] = made[i]! - along * vector[i]!
      }
    }
    const size = Math.hypot(...made)
    if (size > length) {
      best = made.map((x) => x / size)
      length = size
    }
  }
  return best ?? new Float64Array(m)
}
