import { checkOptions, type OptionTable } from '../../../base/options/index.js'
import {
  arange,
  broadcastPlaces,
  broadcastTo,
  cast,
  equal,
  isFloat,
  isSealed,
  less,
  logicalAnd,
  reshape,
  type Shape,
  Tensor,
  tensor,
} from '../../../tensors/tensor/index.js'
import type { AttentionLengths, AttentionOptions, Ids } from './attentionOptions.js'
import type { Heads } from './heads.js'
import type { ExtraName } from './plan.js'

/** What logits are changed by beside the mask that a plan has as data: tensors, which may differ by example and head. */
export interface Extras extends Partial<Record<ExtraName, Tensor>> {
  /** bool, [..., heads or 1, tq, tk], as many axes as the logits. */
  readonly allowed?: Tensor<'bool'>
  /** Added to the logits, of the same shapes. */
  readonly bias?: Tensor
  /** A logit of every head that has no value, [heads]. */
  readonly sinks?: Tensor
}

const order: readonly ExtraName[] = ['allowed', 'bias', 'sinks']

/** The extras that are there by name, and as operands. */
export function listed(extras: Extras): {
  readonly names: readonly ExtraName[]
  readonly operands: readonly Tensor[]
} {
  const names = order.filter((name) => extras[name])
  return { names, operands: names.map((name) => extras[name]!) }
}

/** The same of operands. */
export function named(names: readonly ExtraName[], operands: readonly Tensor[]): Extras {
  return Object.fromEntries(names.map((name, i) => [name, operands[i]!]))
}

const lengthNames: OptionTable<AttentionLengths> = { q: 'optional', kv: 'optional' }

/** Whether ids or a mask are an operand: recorded, or one for every example. */
export function isOperand(x: unknown, rank: number): x is Tensor {
  return x instanceof Tensor && (isSealed(x) || x.rank > rank)
}

/** The extras of an attention's options; ids and masks that are data are left to the plan. */
export function extrasOf(op: string, heads: Heads, options: AttentionOptions): Extras {
  const { mask, segments, lengths, bias, sinks } = options
  const parts: Tensor<'bool'>[] = []
  if (isOperand(mask, 2)) {
    if (mask.dtype !== 'bool') {
      throw new TypeError(`${op}: mask is not of dtype bool [${mask.dtype as string}]`)
    }
    parts.push(aligned(op, 'mask', mask as Tensor<'bool'>, heads))
  }
  if (segments && (isOperand(segments.q, 1) || isOperand(segments.kv, 1))) {
    checkOptions(op, segments, { q: 'required', kv: 'required' })
    const [q, kv] = [idsOf(op, 'segments.q', segments.q), idsOf(op, 'segments.kv', segments.kv)]
    const same = equal(
      spread(q, (batch, t) => [...batch, t, 1]),
      spread(kv, (batch, t) => [...batch, 1, t]),
    )
    parts.push(aligned(op, 'segments', same, heads))
  }
  if (lengths !== undefined) {
    checkOptions(op, lengths, lengthNames)
    const { tq, tk } = heads
    const within = (name: string, given: Ids | number | undefined, places: Tensor<'int32'>): void => {
      if (given === undefined) return
      const x = idsOf(op, name, typeof given === 'number' ? [given] : given)
      const count = typeof given === 'number' ? reshape(x, []) : reshape(x, [...x.shape, 1, 1, 1])
      parts.push(aligned(op, name, less(places, count), heads))
    }
    within('lengths.q', lengths.q, reshape(arange(0, tq, { dtype: 'int32' }), [tq, 1]))
    within('lengths.kv', lengths.kv, arange(0, tk, { dtype: 'int32' }))
  }
  for (const [name, x] of Object.entries({ bias, sinks })) {
    if (x !== undefined && !(x instanceof Tensor && isFloat(x.dtype))) {
      throw new TypeError(`${op}: ${name} is no tensor of floats [${String(x)}]`)
    }
  }
  const own = heads.lead.at(-1) ?? 1
  if (sinks && (sinks.rank !== 1 || sinks.size !== own)) {
    throw new RangeError(
      `${op}: sinks are not one number for each of ${own} heads [${sinks.shape.join(', ')}]`,
    )
  }
  const allowed = parts.length === 0 ? undefined : parts.reduce((a, b) => logicalAnd(a, b))
  return {
    ...(allowed && { allowed }),
    ...(bias && { bias: aligned(op, 'bias', bias, heads) }),
    // Without keys a row has nothing, a sink or not.
    ...(sinks && heads.tk > 0 && { sinks }),
  }
}

function idsOf(op: string, name: string, given: Ids): Tensor<'int32'> {
  const x: Tensor = given instanceof Tensor ? given : tensor(Array.from(given), { dtype: 'int32' })
  if (x.dtype !== 'int32' && x.dtype !== 'uint32') {
    throw new TypeError(`${op}: ${name} is no list of whole numbers [${x.dtype}, ${x.shape.join(', ')}]`)
  }
  return cast(x, 'int32')
}

/** Ids [..., t] over the heads of their example. */
function spread(ids: Tensor<'int32'>, shape: (batch: Shape, t: number) => Shape): Tensor<'int32'> {
  const batch = ids.shape.slice(0, -1)
  return reshape(ids, shape(batch.length === 0 ? [] : [...batch, 1], ids.shape.at(-1)!))
}

/** x with as many axes as the logits, the last two whole. */
function aligned<T extends Tensor>(op: string, name: string, x: T, { lead, tq, tk }: Heads): T {
  const wanted = [...lead, tq, tk]
  const own = [...new Array<number>(Math.max(0, wanted.length - x.rank)).fill(1), ...x.shape]
  if (own.length !== wanted.length || own.some((length, i) => length !== 1 && length !== wanted[i])) {
    throw new RangeError(
      `${op}: ${name} of another shape than the logits [${x.shape.join(', ')} and ${wanted.join(', ')}]`,
    )
  }
  return broadcastTo(reshape(x as Tensor, own), [...own.slice(0, -2), tq, tk]) as T
}

/** Operands of the logits with their axes of heads grouped. */
export function groupedExtras({ allowed, bias, sinks }: Extras, { lead, group }: Heads): Extras {
  const apart = (x: Tensor, rest: number): Tensor => {
    const [own, end] = [x.shape.slice(0, x.rank - rest), x.shape.slice(x.rank - rest)]
    const heads = own.at(-1) ?? 1
    const split = heads === (lead.at(-1) ?? 1) ? [heads / group, group] : [1, 1]
    return reshape(x, [...own.slice(0, -1), ...split, ...end])
  }
  return {
    ...(allowed && { allowed: apart(allowed, 2) as Tensor<'bool'> }),
    ...(bias && { bias: apart(bias, 2) }),
    ...(sinks && { sinks: reshape(apart(sinks, 0), [sinks.size / group, group, 1, 1]) }),
  }
}

/** What of the extras one tile has, and one head. */
export interface ExtraTiles {
  /** The pairs of a tile that are allowed, `base` being those of the mask that is data. */
  allowed(base: Uint8Array | undefined, at: Place): Uint8Array | undefined
  bias(at: Place): Float32Array | undefined
  sink(head: number): number | undefined
}

/** A tile of a head: its rows and columns, and its size. */
export interface Place {
  readonly head: number
  readonly row: number
  readonly column: number
  readonly rows: number
  readonly width: number
}

export function extraTiles({ allowed, bias, sinks }: Extras, { lead, tq, tk }: Heads): ExtraTiles {
  const cut = <A extends Uint8Array | Float32Array>(x: Tensor, data: A, make: (size: number) => A) => {
    const places = broadcastPlaces(x.shape.slice(0, -2), lead)
    return ({ head, row, column, rows, width }: Place): A => {
      const out = make(rows * width)
      const first = (places?.[head] ?? head) * tq * tk
      for (let i = 0; i < rows; i++) {
        const from = first + (row + i) * tk + column
        out.set(data.subarray(from, from + width), i * width)
      }
      return out
    }
  }
  const bits = allowed && cut(allowed, allowed.data, (size) => new Uint8Array(size))
  const numbers = bias && cut(bias, cast(bias, 'float32').data, (size) => new Float32Array(size))
  const own = sinks && cast(sinks, 'float32').data
  return {
    allowed(base, at) {
      const tile = bits?.(at)
      if (tile && base) for (let e = 0; e < tile.length; e++) tile[e] = tile[e]! & base[e]!
      return tile ?? base
    },
    bias: (at) => numbers?.(at),
    sink: (head) => own?.[head % own.length],
  }
}
