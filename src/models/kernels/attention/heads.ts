import { type Shape, sameShape, sizeOf, type Tensor } from '../../../tensors/tensor/index.js'

/** The sizes of an attention, all axes before the last two taken as one list of heads. */
export interface Heads {
  /** The axes of the queries before the last two. */
  readonly lead: Shape
  /** Query heads over the whole batch. */
  readonly count: number
  /** Heads of keys and values over the whole batch; query head h reads head floor(h / group). */
  readonly kvCount: number
  readonly group: number
  readonly tq: number
  readonly tk: number
  /** Length of a query and of a key. */
  readonly d: number
  /** Length of a value. */
  readonly dv: number
}

/** The sizes of q [..., heads, tq, d], k [..., kvHeads, tk, d] and v [..., kvHeads, tk, dv], where they fit. */
export function headsOf(op: string, q: Tensor, k: Tensor, v: Tensor): Heads {
  for (const [name, { shape }] of Object.entries({ q, k, v })) {
    if (shape.length < 2) {
      throw new RangeError(`${op}: ${name} is not [..., heads, t, d] [${shape.join(', ')}]`)
    }
  }
  const [tq, d] = q.shape.slice(-2) as [number, number]
  const [tk, keyLength] = k.shape.slice(-2) as [number, number]
  const [valueCount, dv] = v.shape.slice(-2) as [number, number]
  if (d !== keyLength) {
    throw new RangeError(`${op}: queries and keys have other lengths [${d} and ${keyLength}]`)
  }
  if (tk !== valueCount) {
    throw new RangeError(`${op}: there are not as many values as keys [${valueCount} and ${tk}]`)
  }
  const lead = q.shape.slice(0, -2)
  const kvLead = k.shape.slice(0, -2)
  if (!sameShape(kvLead, v.shape.slice(0, -2))) {
    throw new RangeError(
      `${op}: keys and values differ in heads [${k.shape.join(', ')} and ${v.shape.join(', ')}]`,
    )
  }
  if (lead.length !== kvLead.length || !sameShape(lead.slice(0, -1), kvLead.slice(0, -1))) {
    throw new RangeError(
      `${op}: queries and keys differ in batch [${q.shape.join(', ')} and ${k.shape.join(', ')}]`,
    )
  }
  const [heads, kvHeads] = [lead.at(-1) ?? 1, kvLead.at(-1) ?? 1]
  if (kvHeads === 0 ? heads !== 0 : heads % kvHeads !== 0) {
    throw new RangeError(`${op}: heads of queries are no multiple of those of keys [${heads} and ${kvHeads}]`)
  }
  const [count, kvCount] = [sizeOf(lead), sizeOf(kvLead)]
  return { lead, count, kvCount, group: kvHeads === 0 ? 1 : heads / kvHeads, tq, tk, d, dv }
}
