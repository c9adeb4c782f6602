import { type Rows, unusual } from './encodeRows.js'

/** A value and its sign, which a number does not show of a NaN, to its code. */
type EncodeOne = (value: number, negative: boolean) => number

/** Encodes by the table of keyTable. */
export function encodeByKeys(values: Float32Array, table: Uint8Array, out: Uint8Array): void {
  only ??= open()
  only.byKeys(values, table, out)
}

/** Encodes by the rows of encodeRows; `encodeOne` serves the few values that rows leave. */
export function encodeByRows(
  values: Float32Array | Float64Array,
  rows: Rows,
  encodeOne: EncodeOne,
  out: Uint8Array | Uint16Array,
): void {
  only ??= open()
  only.byRows(values, rows, encodeOne, out)
}

interface LongEncoder {
  readonly byKeys: typeof encodeByKeys
  readonly byRows: typeof encodeByRows
}

const block = 4096
/** Where one value is unusual, so many are looked at again. */
const piece = 256
let only: LongEncoder | undefined

// The engine compiles typed arrays that a function made once, and never replaces, as constants, without checks of their
// kind and length: half the time of the same loop over any arrays, and a third where a bundler makes them variables of
// a module. Nothing in them outlives a call, but for the tables, which stay until another one is asked for.
function open(): LongEncoder {
  const words = new Int32Array(block)
  const floats = new Float32Array(words.buffer)
  const doubles = new Float64Array(block)
  const doubleWords = new Int32Array(doubles.buffer)
  const codes8 = new Uint8Array(block)
  const codes16 = new Uint16Array(block)
  const keyCodes = new Uint8Array(65536)
  // Of float32, 512 rows, or of float64, 4096.
  const shifters = new Float64Array(4096)
  const bases = new Int32Array(4096)
  const sums = new Float64Array(2)
  const sumWords = new Int32Array(sums.buffer)

  let keysHeld: Uint8Array | undefined
  let rowsHeld: Rows | undefined

  function byKeys(values: Float32Array, table: Uint8Array, out: Uint8Array): void {
    if (keysHeld !== table) keyCodes.set(table)
    keysHeld = table
    for (let start = 0; start < values.length; start += block) {
      const part = values.subarray(start, start + block)
      const count = part.length
      floats.set(part)
      lookUpKeys(count)
      out.set(count === block ? codes8 : codes8.subarray(0, count), start)
    }
  }

  function byRows(
    values: Float32Array | Float64Array,
    rows: Rows,
    encodeOne: EncodeOne,
    out: Uint8Array | Uint16Array,
  ): void {
    if (rowsHeld !== rows) {
      shifters.set(rows.shifters)
      bases.set(rows.bases)
    }
    rowsHeld = rows
    for (let start = 0; start < values.length; start += block) {
      const part = values.subarray(start, start + block)
      const count = part.length
      if (part instanceof Float32Array) {
        floats.set(part)
        for (let i = 0; i < count; i += piece) {
          if (addRows(i, Math.min(i + piece, count))) {
            encodeUnusual(i, count, false, rows.infinities, encodeOne)
          }
        }
      } else {
        doubles.set(part)
        for (let i = 0; i < count; i += piece) {
          if (addWideRows(i, Math.min(i + piece, count))) {
            encodeUnusual(i, count, true, rows.infinities, encodeOne)
          }
        }
      }
      out.set(count === block ? codes16 : codes16.subarray(0, count), start)
    }
  }

  function lookUpKeys(count: number): void {
    for (let i = 0; i < count; i += 4) {
      const a = words[i]!
      const b = words[i + 1]!
      const c = words[i + 2]!
      const d = words[i + 3]!
      // (w | ((w & 0xffff) + 0xffff)) >>> 16 is the upper half, odd if the lower one is not zero.
      codes8[i] = keyCodes[(a | ((a & 0xffff) + 0xffff)) >>> 16]!
      codes8[i + 1] = keyCodes[(b | ((b & 0xffff) + 0xffff)) >>> 16]!
      codes8[i + 2] = keyCodes[(c | ((c & 0xffff) + 0xffff)) >>> 16]!
      codes8[i + 3] = keyCodes[(d | ((d & 0xffff) + 0xffff)) >>> 16]!
    }
  }

  function addRows(from: number, to: number): boolean {
    let all = 0
    for (let i = from; i < to; i += 2) {
      const row = words[i]! >>> 23
      const next = words[i + 1]! >>> 23
      sums[0] = floats[i]! + shifters[row]!
      sums[1] = floats[i + 1]! + shifters[next]!
      const base = bases[row]!
      const nextBase = bases[next]!
      codes16[i] = sumWords[0]! + base
      codes16[i + 1] = sumWords[2]! + nextBase
      all |= base | nextBase
    }
    return (all & unusual) !== 0
  }

  function addWideRows(from: number, to: number): boolean {
    let all = 0
    for (let i = from; i < to; i += 2) {
      const row = doubleWords[2 * i + 1]! >>> 20
      const next = doubleWords[2 * i + 3]! >>> 20
      sums[0] = doubles[i]! + shifters[row]!
      sums[1] = doubles[i + 1]! + shifters[next]!
      const base = bases[row]!
      const nextBase = bases[next]!
      codes16[i] = sumWords[0]! + base
      codes16[i + 1] = sumWords[2]! + nextBase
      all |= base | nextBase
    }
    return (all & unusual) !== 0
  }

  function encodeUnusual(
    from: number,
    count: number,
    wide: boolean,
    [infinity, negativeInfinity]: readonly [number, number],
    encodeOne: EncodeOne,
  ): void {
    // Asked once for a piece: a run that went NaN is full of them.
    let nan: number | undefined
    let negativeNaN: number | undefined
    for (let i = from; i < Math.min(from + piece, count); i++) {
      const upper = wide ? doubleWords[2 * i + 1]! : words[i]!
      if (bases[upper >>> (wide ? 20 : 23)] !== unusual) continue
      const value = wide ? doubles[i]! : floats[i]!
      if (value === Infinity) codes16[i] = infinity
      else if (value === -Infinity) codes16[i] = negativeInfinity
      else if (!Number.isNaN(value)) codes16[i] = encodeOne(value, upper < 0)
      else if (upper < 0) codes16[i] = negativeNaN ??= encodeOne(value, true)
      else codes16[i] = nan ??= encodeOne(value, false)
    }
  }

  return { byKeys, byRows }
}
