import { dtypeFacts, isFloat, type Tensor } from '../../tensors/tensor/index.js'

/** How the arrays of one name differ. */
export interface ArrayDifference {
  readonly name: string
  readonly tensor: string
  /** Elements with other values. */
  readonly differ: number
  readonly of: number
  /** The root mean square of the difference against that of the values, in ulps of 1 of the dtype. */
  readonly ulps: number
  readonly kind: 'equal' | 'order or rounding' | 'another computation'
}

/**
 * Compares arrays by name, in the order of the first file. Nothing is known here of what computed them: differences of up to `limit` ulps in
 * the root mean square count as rounding, which is a rule of thumb and no bound.
 */
export function compareArrays(
  a: ReadonlyMap<string, Tensor>,
  b: ReadonlyMap<string, Tensor>,
  limit: number,
): readonly ArrayDifference[] {
  return [...a].flatMap(([name, x]) => {
    const y = b.get(name)
    return y ? [differenceOf(name, x, y, limit)] : []
  })
}

function differenceOf(name: string, x: Tensor, y: Tensor, limit: number): ArrayDifference {
  const tensor = `${x.dtype} [${x.shape.join(', ')}]`
  if (x.shape.join() !== y.shape.join()) {
    return { name, tensor, differ: x.size, of: x.size, ulps: Infinity, kind: 'another computation' }
  }
  const [p, q] = [x.toNumbers(), y.toNumbers()]
  let [differ, off, size] = [0, 0, 0]
  for (const [i, value] of p.entries()) {
    const other = q[i]!
    if (value === other || (Number.isNaN(value) && Number.isNaN(other))) continue
    differ++
    off += (value - other) ** 2
  }
  for (const value of p) if (Number.isFinite(value)) size += value * value
  // The wider of two dtypes was computed in the narrower one somewhere, or shows that it was not.
  const eps = Math.max(...[x, y].map(({ dtype }) => (isFloat(dtype) ? dtypeFacts(dtype).eps : 0)))
  const ulps = differ === 0 ? 0 : Math.sqrt(off / (size || 1)) / eps
  const kind = differ === 0 ? 'equal' : ulps <= limit ? 'order or rounding' : 'another computation'
  return { name, tensor, differ, of: p.length, ulps, kind }
}
