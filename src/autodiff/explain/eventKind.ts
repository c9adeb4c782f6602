import { type DType, dtypeFacts } from '../../tensor/index.js'
import type { ElementStep, NonFiniteKind } from './nonFinite.js'

/** The largest finite value of a float dtype. */
export function largestFinite(dtype: DType): number {
  return dtypeFacts(dtype).max
}

/** The inverse of a function that grows like an exponential: the operand at which it reaches y. */
const inverses: Readonly<Record<string, (y: number) => number>> = {
  exp: Math.log,
  expm1: Math.log,
  exp2: Math.log2,
  sinh: (y) => Math.log(y) + Math.LN2,
  cosh: (y) => Math.log(y) + Math.LN2,
}

/** The operand past which an exponential overflows; undefined for other operations. */
export function threshold(op: string, dtype: DType): number | undefined {
  return inverses[op]?.(largestFinite(dtype))
}

const divisions: ReadonlySet<string> = new Set(['div', 'reciprocal', 'rsqrt'])
const logarithms: ReadonlySet<string> = new Set(['log', 'log2', 'log10'])

/**
 * What happened in one operation whose result is not finite, read off its operands and result. `undefined` where a value
 * only passed: an infinity that stays one, a NaN that was there.
 */
export function eventKind({ op, dtype, value, operands, exact }: ElementStep): NonFiniteKind | undefined {
  const all = operands.flat()
  const [[a = 0] = [], [b = 0] = []] = operands
  if (all.some(Number.isNaN)) return undefined
  const infinite = all.some((x) => Math.abs(x) === Infinity)
  // A format without infinities overflows to NaN.
  if (!infinite && exact !== undefined && Number.isFinite(exact) && Math.abs(exact) > largestFinite(dtype))
    return 'overflow'
  if (divisions.has(op)) {
    const [above, below] = op === 'div' ? [a, b] : [1, a]
    if (below === 0) return above === 0 ? '0 / 0' : 'division by zero'
    if (Number.isNaN(value)) return infinite && op === 'div' ? 'Inf / Inf' : 'outside the domain'
  }
  if (op === 'pow' && a === 0 && b < 0) return 'division by zero'
  if (logarithms.has(op) && a === 0) return 'log of zero'
  if (op === 'log1p' && a === -1) return 'log of zero'
  if (!Number.isNaN(value)) return infinite ? undefined : 'overflow'
  if (op === 'mul') return '0 * Inf'
  if (op === 'add' || op === 'sub') return 'Inf - Inf'
  if (op === 'matmul') return zeroTimesInfinity(operands) ? '0 * Inf' : 'Inf - Inf'
  if (op === 'sum' || op === 'mean' || op === 'cumsum' || op === 'scatter') return 'Inf - Inf'
  if (op === 'cumprod') return '0 * Inf'
  return all.length === 1 || op === 'pow' || op === 'atan2' ? 'outside the domain' : 'operation'
}

function zeroTimesInfinity([a = [], b = []]: readonly (readonly number[])[]): boolean {
  return a.some((x, i) => Number.isNaN(x * b[i]!))
}
