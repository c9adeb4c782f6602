import { constantOp, dtypeFacts, type FloatDType, isFloat, ops } from '../../tensors/tensor/index.js'
import { kindOf } from '../program/opKind.js'
import type { Program } from '../program/program.js'

/** What a set of wide steps costs. */
export interface WideCost {
  /** Operations that run wide. */
  readonly count: number
  /** Bytes that the run writes and reads more than the narrow one. */
  readonly bytes: number
  /** Changes of dtype on the way: narrow operands of wide operations, wide ones of narrow operations, wide results. */
  readonly casts: number
}

/**
 * Counts what a set of wide steps costs in one run. Bytes: every wide value, those that are only moved along too, is
 * written once and read once by each operation that takes it.
 */
export function wideCost(program: Program, wide: ReadonlySet<number>, dtype: FloatDType): WideCost {
  const n = program.inputs.length
  const isWide = new Set<number>()
  const extra = new Map<number, number>()
  let [count, bytes, casts] = [0, 0, 0]
  for (const [i, { op, operands, output }] of program.steps.entries()) {
    // Constants are there in either dtype.
    if (op === constantOp) continue
    const float = isFloat(output.dtype)
    const rounds = float && kindOf(op) === 'rounds'
    const own = wide.has(i)
    for (const operand of operands) {
      if (typeof operand !== 'number' || program.steps[operand - n]?.op === constantOp) continue
      const arriving = isWide.has(operand)
      if (arriving) bytes += extra.get(operand)!
      // A cast is no change of dtype more when it runs wide: it falls away.
      if (rounds && op !== ops.cast && arriving !== own) casts++
    }
    if (!float) continue
    if (own) count++
    if (own || (!rounds && operands.some((operand) => typeof operand === 'number' && isWide.has(operand)))) {
      isWide.add(n + i)
      const more = (output.size * Math.max(0, dtypeFacts(dtype).bits - dtypeFacts(output.dtype).bits)) / 8
      extra.set(n + i, more)
      bytes += more
    }
  }
  casts += program.outputs.filter((output) => typeof output === 'number' && isWide.has(output)).length
  return { count, bytes, casts }
}
