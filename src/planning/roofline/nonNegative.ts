/**
 * Least squares with coefficients of 0 or more: the best of all subsets of the columns whose plain solution has no negative
 * coefficient. For the few columns that a calibration has.
 */
export function nonNegativeLeastSquares(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
): readonly number[] {
  const columns = rows[0]?.length ?? 0
  let best: { readonly x: number[]; readonly error: number } = {
    x: new Array<number>(columns).fill(0),
    error: targets.reduce((sum, y) => sum + y * y, 0),
  }
  for (let subset = 1; subset < 2 ** columns; subset++) {
    const kept = Array.from({ length: columns }, (_, j) => j).filter((j) => subset & (1 << j))
    const solved = normalEquations(rows, targets, kept)
    if (solved === undefined || solved.some((value) => value < 0)) continue
    const x = new Array<number>(columns).fill(0)
    kept.forEach((j, k) => {
      x[j] = solved[k] ?? 0
    })
    const error = rows.reduce((sum, row, i) => {
      const made = row.reduce((total, value, j) => total + value * (x[j] ?? 0), 0)
      return sum + (made - (targets[i] ?? 0)) ** 2
    }, 0)
    if (error < best.error) best = { x, error }
  }
  return best.x
}

/** Solves (A^T A) x = A^T y for the columns that are kept; undefined where they depend on each other. */
function normalEquations(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  kept: readonly number[],
): number[] | undefined {
  const n = kept.length
  const m = kept.map((a) => [
    ...kept.map((b) => rows.reduce((sum, row) => sum + (row[a] ?? 0) * (row[b] ?? 0), 0)),
    rows.reduce((sum, row, i) => sum + (row[a] ?? 0) * (targets[i] ?? 0), 0),
  ])
  for (let column = 0; column < n; column++) {
    const pivot = m.slice(column).reduce((at, row, i) => {
      return Math.abs(row[column] ?? 0) > Math.abs(m[at]?.[column] ?? 0) ? column + i : at
    }, column)
    const [from, to] = [m[pivot], m[column]]
    if (from === undefined || to === undefined) return undefined
    m[column] = from
    m[pivot] = to
    const lead = from[column] ?? 0
    if (Math.abs(lead) < 1e-14 * Math.max(...from.map(Math.abs), 1e-300)) return undefined
    for (let i = 0; i < n; i++) {
      const row = m[i]
      if (i === column || row === undefined) continue
      const factor = (row[column] ?? 0) / lead
      m[i] = row.map((value, j) => value - factor * (from[j] ?? 0))
    }
  }
  return m.map((row, i) => (row[n] ?? 0) / (row[i] ?? 1))
}
