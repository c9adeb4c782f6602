import type { Loop } from '../../autodiff/index.js'
import type { Tensor } from '../../tensor/index.js'
import { type Graph, graphOf, type Node } from './graph.js'

/**
 * Whether two recordings are the same program: the same operations on the same values, constants by their bits. Objects among attributes
 * that are no plain ones are taken for the same.
 */
export function sameGraph(a: Graph, b: Graph): boolean {
  return (
    a.nodes.length === b.nodes.length &&
    sameIds(a.outputs, b.outputs) &&
    a.nodes.every((node, i) => sameNode(node, b.nodes[i]!))
  )
}

const sameIds = (a: readonly Node[], b: readonly Node[]): boolean =>
  a.length === b.length && a.every(({ id }, i) => id === b[i]!.id)

function sameNode(a: Node, b: Node): boolean {
  if (a.dtype !== b.dtype || a.shape.join() !== b.shape.join() || !sameIds(a.inputs, b.inputs)) return false
  const [one, other] = [a.source, b.source]
  if (one.kind === 'argument' && other.kind === 'argument') return one.index === other.index
  if (one.kind === 'constant' && other.kind === 'constant') return sameBits(one.tensor, other.tensor)
  if (one.kind === 'scanned' && other.kind === 'scanned') {
    const same = one.index === other.index && one.loop.length === other.loop.length
    return same && sameGraph(bodyOf(one.loop), bodyOf(other.loop))
  }
  if (one.kind === 'operation' && other.kind === 'operation') {
    return one.op.name === other.op.name && sameValue(one.attributes, other.attributes)
  }
  return one.kind === other.kind
}

const bodyOf = ({ body }: Loop): Graph => graphOf(body.outputs, [...body.captured, ...body.inputs])

function sameBits({ data: a }: Tensor, { data: b }: Tensor): boolean {
  if (a === b) return true
  const [x, y] = [bytesOf(a), bytesOf(b)]
  return x.length === y.length && x.every((byte, i) => byte === y[i])
}

const bytesOf = ({ buffer, byteOffset, byteLength }: Tensor['data']): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

/** Whether attributes say the same. */
function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== typeof b) return false
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return typeof a === 'function'
  if (!isPlain(a) || !isPlain(b)) return true
  const [names, others] = [Object.keys(a), Object.keys(b)]
  return (
    names.length === others.length &&
    names.every((name) => sameValue(Reflect.get(a, name), Reflect.get(b, name)))
  )
}

/** Arrays and records, whose values are all that there is to them. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return (
    prototype === Object.prototype || prototype === null || Array.isArray(value) || ArrayBuffer.isView(value)
  )
}
