import { type DType, dtypeFacts, type Tensor } from '../../tensor/index.js'
import type { Views } from '../engine/machine.js'
import * as code from '../engine/opcodes.js'
import type { Node } from '../graph/graph.js'
import { narrowed } from '../graph/inside.js'
import { edgeOf, isNarrowInteger } from '../graph/values.js'

/** Up to so many elements are copied one by one, which takes less than the arrays to copy them by. */
const few = 48

// Each kind of array in a function of its own: one that saw them all would be as slow as what it is to save.

function copyBytes(from: Uint8Array, start: number, to: Uint8Array, at: number, length: number): void {
  for (let i = 0; i < length; i++) to[at + i] = from[start + i]!
}

function copyHalves(from: Uint16Array, start: number, to: Uint16Array, at: number, length: number): void {
  for (let i = 0; i < length; i++) to[at + i] = from[start + i]!
}

/** False where one is a NaN, whose bits a number does not carry. */
function copyFloats(
  from: Float32Array,
  start: number,
  to: Float32Array,
  at: number,
  length: number,
): boolean {
  for (let i = 0; i < length; i++) {
    const x = from[start + i]!
    if (Number.isNaN(x)) return false
    to[at + i] = x
  }
  return true
}

function copiedIn(views: Views, to: number, data: Tensor['data']): boolean {
  const { length } = data
  if (data instanceof Float32Array) return copyFloats(data, 0, views.floats, to / 4, length)
  if (data instanceof Uint16Array) copyHalves(data, 0, views.halves, to / 2, length)
  else if (data instanceof Uint8Array) copyBytes(data, 0, views.bytes, to, length)
  else return false
  return true
}

/**
 * Copies elements in as storage has them, to where they grow from: see `startOf` in wasm/program/edges.ts. `codes`: to where they stay
 * as they are.
 */
export function putElements(views: Views, at: number, { dtype, data }: Tensor, codes = false): void {
  const kind = edgeOf(dtype)
  const { length } = data
  if (isNarrowInteger(dtype)) {
    new Int32Array(views.buffer, at, length).set(data as Int8Array)
    return
  }
  let to = at
  // Codes behind the last one are read too, and are not to be taken for NaNs.
  if (kind === code.BFLOAT16 || kind === code.FLOAT16) {
    const whole = (length + 7) & ~7
    if (!codes) to += 2 * whole
    for (let i = length; i < whole; i++) views.halves[to / 2 + i] = 0
  } else if (kind === code.BYTES || kind === code.BOOL) {
    if (!codes) to += 3 * length
    for (let i = length; i < ((length + 3) & ~3); i++) views.bytes[to + i] = 0
  }
  if (length > few || !copiedIn(views, to, data)) {
    views.bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), to)
  }
}

/** Copies elements out that have left, into an array or a fresh one: see `leave`. */
export function takeElements(
  views: Views,
  at: number,
  { dtype, size }: Node,
  into: Tensor['data'] | undefined,
): Tensor['data'] {
  if (isNarrowInteger(dtype)) {
    const elements = narrowed(dtype, new Int32Array(views.buffer, at, size))
    if (!into) return elements
    into.set(elements as never)
    return into
  }
  if (size <= few) {
    const made = into ?? new (dtypeFacts(dtype).storage)(size)
    if (made instanceof Uint16Array) {
      copyHalves(views.halves, at / 2, made, 0, size)
      return made
    }
    if (made instanceof Uint8Array) {
      copyBytes(views.bytes, at, made, 0, size)
      return made
    }
    if (made instanceof Float32Array && copyFloats(views.floats, at / 4, made, 0, size)) return made
  }
  const view = viewOf(views.buffer, at, dtype, size)
  if (!into) return view.slice()
  into.set(view as never)
  return into
}

/** Elements as storage has them, where they lie. */
export function viewOf(buffer: ArrayBuffer, at: number, dtype: DType, size: number): Tensor['data'] {
  return new (dtypeFacts(dtype).storage)(buffer, at, size)
}
