import { addArrays, encode } from '../../../bf16/index.js'
import { addsLane, arena, float32ColumnSums } from '../../../numbers/simd/index.js'
import { type AnyStorage, numbersOf } from '../storage/dtype.js'
import { canonicalizeNaN } from '../storage/nan.js'
import type { Tensor } from '../storage/tensor.js'
import { type Accumulation, addends } from './accumulate.js'
import type { Lanes } from './lanes.js'

/** Rows shorter than this are not worth a call each. */
const shortRow = 32

/** Adds one row of the lanes' elements to the running sums of all of them. */
type AddRow = (from: number) => void

/** The running sums of one row of lanes, and the way to add the next row to them. */
interface Columns {
  readonly sums: Float32Array | Uint16Array
  readonly add: AddRow
}

/**
 * Lanes that lie across rows, [outer, length, step], to be added a row at a time: sequentially in each lane, the same
 * additions in the same order as lane by lane, but along memory. Undefined where they do not lie so, where nothing
 * is won, and for dtypes without a fast addition of rows.
 */
function columnsOf(x: Tensor, { step = 1 }: Lanes, how: Accumulation): Columns | undefined {
  if (step < shortRow || how.order !== 'sequential') return undefined
  if (how.accumulate === 'float32') {
    const sums = new Float32Array(step)
    return { sums, add: float32Rows(addends(x, how), sums) }
  }
  if (how.accumulate !== 'bfloat16' || x.dtype !== 'bfloat16') return undefined
  const sums = new Uint16Array(step)
  return { sums, add: bfloat16Rows(x, sums) }
}

/** Matrices that lie one behind the other, their columns added by the kernel of an order, the running sums to `out` if given. */
type AddColumns = (from: number, sums: Float32Array, out?: Float32Array) => void

/** The kernel's way to add lanes across rows, where there is one and the lanes are worth it. */
function kernelFor(
  x: Tensor,
  { step = 1, length }: Lanes,
  how: Accumulation,
  scans: boolean,
): AddColumns | undefined {
  const { order, accumulate } = how
  if (accumulate !== 'float32' || step === 1 || length * step < shortRow ** 2) return undefined
  if (!addsLane(order, length, scans)) return undefined
  const simd = arena('simd')
  const values = simd && addends(x, how)
  if (!simd || !(values instanceof Float32Array)) return undefined
  return (from, sums, out) => float32ColumnSums(simd, values, from, length, order, sums, out)
}

/** Sums of lanes across rows, by lane; undefined where nothing adds them so. */
export function columnSums(x: Tensor, lanes: Lanes, how: Accumulation): ((k: number) => number) | undefined {
  const addColumns = kernelFor(x, lanes, how, false)
  if (addColumns) {
    const { length, starts, step = 1 } = lanes
    const totals = new Float32Array(starts.length)
    for (let k = 0; k < totals.length; k += step) {
      addColumns(k * length, totals.subarray(k, k + step))
    }
    return (k) => totals[k]!
  }
  const columns = columnsOf(x, lanes, how)
  if (!columns) return undefined
  const { sums, add } = columns
  const totals = new Float64Array(lanes.starts.length)
  for (let outer = 0; outer * sums.length < totals.length; outer++) {
    sums.fill(0)
    for (let i = 0; i < lanes.length; i++) add((outer * lanes.length + i) * sums.length)
    totals.set(numbersOf(sums instanceof Float32Array ? 'float32' : 'bfloat16', sums), outer * sums.length)
  }
  return (k) => totals[k]!
}

/** Running sums of lanes across rows into `out`, true when done; false where nothing adds them so. */
export function columnScan(x: Tensor, lanes: Lanes, how: Accumulation, out: AnyStorage): boolean {
  if (x.dtype !== 'bfloat16' && x.dtype !== 'float32') return false
  const addColumns = out instanceof Float32Array ? kernelFor(x, lanes, how, true) : undefined
  if (addColumns && out instanceof Float32Array) {
    const { length, step = 1 } = lanes
    const sums = new Float32Array(step)
    for (let from = 0; from < x.size; from += length * step) {
      addColumns(from, sums, out.subarray(from, from + length * step))
    }
    canonicalizeNaN(out)
    return true
  }
  const columns = columnsOf(x, lanes, how)
  if (!columns) return false
  const { sums, add } = columns
  for (let row = 0; row * sums.length < x.size; row++) {
    const from = row * sums.length
    if (row % lanes.length === 0) sums.fill(0)
    add(from)
    const target = out.subarray(from, from + sums.length)
    // A NaN of the processor's own making has a sign, which encode would keep.
    canonicalizeNaN(sums)
    if (sums instanceof Float32Array && target instanceof Uint16Array) encode(sums, target)
    else target.set(sums)
  }
  return true
}

function bfloat16Rows(x: Tensor, sums: Uint16Array): AddRow {
  const codes = x.data as Uint16Array
  return (from) => {
    addArrays(sums, codes.subarray(from, from + sums.length), sums)
  }
}

function float32Rows(values: AnyStorage, sums: Float32Array): AddRow {
  return (from) => {
    for (let j = 0; j < sums.length; j++) sums[j] = sums[j]! + values[from + j]!
  }
}
