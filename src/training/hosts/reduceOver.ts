import { add, cast, div, type FloatDType, Tensor, zeros } from '../../tensors/tensor/index.js'
import { hostRows } from '../checkpoint/index.js'
import type { AllReduceOptions } from '../collectives/index.js'
import type { Mesh } from './mesh.js'

/** How one leaf is reduced, all of it decided. */
export interface Reduction {
  readonly order: AllReduceOptions['order']
  readonly op: 'sum' | 'mean'
  readonly accumulate: FloatDType
  /** The identifier of this reduction's frames. */
  readonly tag: string
}

/**
 * The sum or mean of a tensor over all hosts, with the additions of `collectives.allReduce` in their order, so that each has its bits.
 */
export async function reduceOver(group: Mesh, x: Tensor, reduction: Reduction): Promise<Tensor> {
  const flat = new Tensor(x.dtype, [x.size], x.data)
  const total = await byOrder[reduction.order](group, flat, reduction)
  return new Tensor(x.dtype, x.shape, total.data)
}

const byOrder = { ring, tree, 'all-to-all': allToAll } as const

/** Chunk c begins at host c + 1, goes round and is complete at host c; then the complete ones go round. */
async function ring(group: Mesh, x: Tensor, { accumulate, op, tag }: Reduction): Promise<Tensor> {
  const { host, hosts } = group
  const [next, before] = [(host + 1) % hosts, (host + hosts - 1) % hosts]
  const own = (hop: number): Tensor => cast(chunk(x, (host + hosts - hop) % hosts, hosts), accumulate)
  let sum = own(1)
  for (let hop = 2; hop <= hosts; hop++) {
    group.send(next, `${tag} sum ${hop}`, bytesOf(sum))
    const mine = own(hop)
    sum = add(await received(group, before, `${tag} sum ${hop}`, mine), mine)
  }
  const result = zeros(x.shape, { dtype: x.dtype })
  let done = finished(sum, x.dtype, op, hosts)
  place(result, done, host, hosts)
  for (let hop = 1; hop < hosts; hop++) {
    group.send(next, `${tag} done ${hop}`, bytesOf(done))
    const from = (host + hosts - hop) % hosts
    done = await received(group, before, `${tag} done ${hop}`, chunk(x, from, hosts))
    place(result, done, from, hosts)
  }
  return result
}

/** In round k host r takes the sum of host r + 2^k, for every r that 2^(k+1) divides; the total goes back the same way. */
async function tree(group: Mesh, x: Tensor, { accumulate, op, tag }: Reduction): Promise<Tensor> {
  const { host, hosts } = group
  let sum = cast(x, accumulate)
  let reach = 1
  for (; reach < hosts && host % (2 * reach) === 0; reach *= 2) {
    if (host + reach < hosts) sum = add(sum, await received(group, host + reach, `${tag} up`, sum))
  }
  let total = finished(sum, x.dtype, op, hosts)
  if (host > 0) {
    group.send(host - reach, `${tag} up`, bytesOf(sum))
    total = await received(group, host - reach, `${tag} down`, x)
  }
  for (let below = reach / 2; below >= 1; below /= 2) {
    if (host + below < hosts) group.send(host + below, `${tag} down`, bytesOf(total))
  }
  return total
}

/** Host c is sent chunk c by all others, adds them in the order of the hosts, and sends the sum to all. */
async function allToAll(group: Mesh, x: Tensor, { accumulate, op, tag }: Reduction): Promise<Tensor> {
  const { host, hosts } = group
  const others = Array.from({ length: hosts }, (_, other) => other).filter((other) => other !== host)
  const mine = chunk(x, host, hosts)
  for (const other of others) group.send(other, `${tag} part`, bytesOf(chunk(x, other, hosts)))
  const parts: Tensor[] = []
  for (let from = 0; from < hosts; from++) {
    parts.push(from === host ? mine : await received(group, from, `${tag} part`, mine))
  }
  const sum = parts.map((part) => cast(part, accumulate)).reduce((total, part) => add(total, part))
  const done = finished(sum, x.dtype, op, hosts)
  const result = zeros(x.shape, { dtype: x.dtype })
  place(result, done, host, hosts)
  for (const other of others) group.send(other, `${tag} done`, bytesOf(done))
  for (const other of others) {
    place(result, await received(group, other, `${tag} done`, chunk(x, other, hosts)), other, hosts)
  }
  return result
}

/** A total as all are to have it; float64 has more than twice the bits of narrower dtypes, so the quotient is rounded as if once. */
function finished(total: Tensor, dtype: Tensor['dtype'], op: 'sum' | 'mean', hosts: number): Tensor {
  return cast(op === 'sum' ? total : div(cast(total, 'float64'), hosts), dtype)
}

function chunk(x: Tensor, c: number, hosts: number): Tensor {
  const { start, end } = hostRows(x.shape, c, hosts)
  return new Tensor(x.dtype, [end - start], x.data.subarray(start, end))
}

function place(result: Tensor, part: Tensor, c: number, hosts: number): void {
  const { start } = hostRows(result.shape, c, hosts)
  bytesOf(result).set(bytesOf(part), start * result.data.BYTES_PER_ELEMENT)
}

/** The tensor that a host sent, which has the dtype and the shape of `like`. */
async function received(group: Mesh, from: number, tag: string, like: Tensor): Promise<Tensor> {
  const bytes = await group.receive(from, tag)
  const x = zeros(like.shape, { dtype: like.dtype })
  if (bytes.length !== x.data.byteLength) {
    throw new RangeError(
      `allReduce: host ${from} has another tensor, ${bytes.length} bytes of it [${x.data.byteLength}]`,
    )
  }
  bytesOf(x).set(bytes)
  return x
}

function bytesOf({ data }: Tensor): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
}
