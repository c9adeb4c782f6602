import {
  checkArray,
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  shown,
} from '../../../base/options/index.js'
import { checkFloatDType, dtypeFacts, type FloatDType, Tensor } from '../../../tensors/tensor/index.js'
import { wayOf } from '../gemm/unitWay.js'
import { maskOf } from '../masks/mask.js'
import { fullMask } from '../masks/masks.js'
import type { AttentionOptions, FlashOptions, Ids } from './attentionOptions.js'
import { type Extras, extrasOf, isOperand, listed } from './extras.js'
import type { Heads } from './heads.js'
import type { FlashPlan, SegmentIds } from './plan.js'

/** The plan of a tiled attention, its options checked, and what its queries are multiplied by beforehand. */
export function planOf(
  op: string,
  q: Tensor,
  heads: Heads,
  options: FlashOptions,
): {
  readonly plan: FlashPlan
  readonly beforehand: number | undefined
  readonly operands: readonly Tensor[]
} {
  const { form = 'flash2', blockQ = 128, blockK = 128, exponent = 'e', accumulate = 'float32' } = options
  const { delta = 'out', backward = 'common', softCap, ties } = options
  checkName(op, 'form', form, ['flash2', 'splash', 'pallas', 'bfloat16'])
  checkName(op, 'exponent', exponent, ['e', '2', '2-unfused'])
  checkName(op, 'accumulate', accumulate, ['float32', 'bfloat16'])
  checkName(op, 'delta', delta, ['out', 'out32', 'probs'])
  checkName(op, 'backward', backward, ['common', 'flash2', 'pallas', 'splash', 'splash-fused'])
  checkInteger(op, 'blockQ', blockQ, 1)
  checkInteger(op, 'blockK', blockK, 1)
  const dtype = narrowDType(op, q)
  const { probsDtype = form === 'splash' ? 'float32' : dtype } = options
  checkFloatDType(op, 'probsDtype', probsDtype)
  if (probsDtype === 'float64') {
    throw new TypeError(`${op}: probabilities are float32 at most [${probsDtype}]`)
  }
  const shift = ties === true ? 7 : ties
  if (shift !== undefined) checkNumber(op, 'ties', shift, 1)
  const refused: Readonly<Record<string, boolean>> = {
    softCap: softCap !== undefined && (form === 'pallas' || exponent !== 'e'),
    exponent: exponent !== 'e' && form !== 'flash2',
    ties: shift !== undefined && (form === 'splash' || form === 'pallas'),
    accumulate: accumulate === 'bfloat16' && form !== 'bfloat16',
    bias: options.bias !== undefined && exponent !== 'e',
    sinks: options.sinks !== undefined && exponent !== 'e',
    unit: options.unit !== undefined && form !== 'flash2',
  }
  for (const [name, is] of Object.entries(refused)) {
    const of = exponent === 'e' ? form : `${form} with exponent ${exponent}`
    if (is) {
      throw new RangeError(`${op}: form ${of} has no ${name} [${shown(options[name as keyof FlashOptions])}]`)
    }
  }
  if (form === 'bfloat16' && (dtype !== 'bfloat16' || probsDtype !== 'bfloat16')) {
    throw new TypeError(
      `${op}: form bfloat16 has bfloat16 throughout [${dtype}, probabilities ${probsDtype}]`,
    )
  }
  if (backward !== 'common' && backward.replace('-fused', '') !== form) {
    throw new RangeError(`${op}: the backward pass of another form [${backward}, form ${form}]`)
  }
  if (backward === 'flash2' && softCap !== undefined) {
    throw new RangeError(`${op}: backward flash2 has no softCap [${softCap}]`)
  }
  const { unit: asked, input } = options
  const how = { ...(asked !== undefined && { unit: asked }), ...(input !== undefined && { input }) }
  const [logits, values] = [wayOf(op, how, dtype, dtype), wayOf(op, how, probsDtype, dtype)]
  const { mask, segments, scale, extras } = logitOptions(op, heads, options)
  const { names, operands } = listed(extras)
  const plan = {
    ...{ form, mask, segments, blockQ, blockK, exponent, accumulate, delta, backward },
    scale: form === 'splash' ? 1 : scale,
    softCap,
    probs: probsDtype,
    ties: shift === undefined ? undefined : Math.fround(shift),
    extras: names,
    single: form === 'pallas' && blockK >= heads.tk && !extras.sinks,
    unit: logits && values && { logits, values },
  }
  // Splash leaves the scale to its caller, who has queries of their dtype.
  return { plan, beforehand: form === 'splash' ? scale : undefined, operands }
}

function narrowDType(op: string, { dtype }: Tensor): FloatDType {
  if (dtype === 'float64') {
    throw new TypeError(`${op}: a tile's state is float32, cast to float32 or use attention [float64]`)
  }
  if (!dtypeFacts(dtype).signed) throw new TypeError(`${op}: a dtype without sign [${dtype}]`)
  return dtype as FloatDType
}

/** What all ways of attention make of the options that they share. */
export function logitOptions(
  op: string,
  heads: Heads,
  options: AttentionOptions,
): Pick<FlashPlan, 'mask' | 'segments' | 'scale'> & { readonly extras: Extras } {
  const { tq, tk, d } = heads
  const { mask, segments, scale, softCap } = options
  if (scale !== undefined) checkNumber(op, 'scale', scale)
  if (softCap !== undefined) {
    checkNumber(op, 'softCap', softCap, 0)
    if (Math.fround(softCap) === 0) throw new RangeError(`${op}: softCap is not above 0 [${softCap}]`)
  }
  return {
    mask: mask === undefined || isOperand(mask, 2) ? fullMask() : maskOf(op, mask, tq, tk),
    segments:
      segments === undefined || isOperand(segments.q, 1) || isOperand(segments.kv, 1)
        ? undefined
        : segmentsOf(op, segments, tq, tk),
    extras: extrasOf(op, heads, options),
    scale: scale ?? (d === 0 ? 1 : 1 / Math.sqrt(d)),
  }
}

function segmentsOf(op: string, segments: unknown, tq: number, tk: number): SegmentIds {
  checkOptions(op, segments, { q: 'required', kv: 'required' })
  const { q, kv } = segments as { readonly q: Ids; readonly kv: Ids }
  return { q: ids(op, 'segments.q', q, tq), kv: ids(op, 'segments.kv', kv, tk) }
}

function ids(op: string, name: string, given: Ids, length: number): Int32Array {
  if (given instanceof Tensor && (given.rank !== 1 || !['int32', 'uint32'].includes(given.dtype))) {
    throw new TypeError(
      `${op}: ${name} is no list of whole numbers [${given.dtype}, ${given.shape.join(', ')}]`,
    )
  }
  const list = given instanceof Tensor ? given.toNumbers() : given
  checkArray(op, name, list)
  if (list.length !== length) {
    throw new RangeError(`${op}: ${name} has another length [${list.length}, not ${length}]`)
  }
  for (const id of list) checkInteger(op, `an id of ${name}`, id, -(2 ** 31), 2 ** 32 - 1)
  return Int32Array.from(list)
}
