import { addArrays, encode } from '../../bf16/index.js'
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

/** Sums of lanes across rows, by lane; undefined where `columnsOf` is. */
export function columnSums(x: Tensor, lanes: Lanes, how: Accumulation): ((k: number) => number) | undefined {
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

/** Running sums of lanes across rows into `out`, true when done; false where `columnsOf` has no way. */
export function columnScan(x: Tensor, lanes: Lanes, how: Accumulation, out: AnyStorage): boolean {
  if (x.dtype !== 'bfloat16' && x.dtype !== 'float32') return false
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
