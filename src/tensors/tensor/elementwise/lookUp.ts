import { arena, mapBlocks } from '../../../numbers/simd/index.js'

/** Codes of one format, as storage has them. */
export type Codes = Uint8Array | Uint16Array

const block = 4096
let only: ReturnType<typeof open> | undefined

/** out[i] = table[codes[i]], the table holding a result for every code; `out` may be `codes`. */
export function lookUp(table: Codes, codes: Codes, out: Codes): void {
  if (codes.length < block) {
    for (let i = 0; i < codes.length; i++) out[i] = table[codes[i]!]!
    return
  }
  const simd = codes instanceof Uint16Array && out instanceof Uint16Array ? arena('simd') : undefined
  if (simd) {
    mapBlocks(simd, table as Uint16Array, codes as Uint16Array, out as Uint16Array)
  } else {
    only ??= open()
    only.each(table, codes, out)
  }
}

/**
 * out[i] = table[a[i] * 2^bits + b[i]], the table holding a result for every pair of codes; an operand of length 1
 * serves every element. `out` may be an operand.
 */
export function lookUpPairs(
  table: Uint8Array,
  bits: number,
  a: Uint8Array,
  b: Uint8Array,
  out: Uint8Array,
): void {
  only ??= open()
  only.pairs(table, bits, a, b, out)
}

// Arrays made once, which the engine compiles as constants, as formats/encodeLong.ts has them. One loop for each pair
// of widths: a loop that meets several kinds of arrays is compiled for none.
function open(): { each: typeof lookUp; pairs: typeof lookUpPairs } {
  const left8 = new Uint8Array(block)
  const right8 = new Uint8Array(block)
  const out8 = new Uint8Array(block)
  const codes16 = new Uint16Array(block)
  const out16 = new Uint16Array(block)
  const table8 = new Uint8Array(65536)
  const table16 = new Uint16Array(65536)
  let held8: Codes | undefined
  let held16: Codes | undefined

  function each8to8(count: number): void {
    for (let i = 0; i < count; i += 4) {
      out8[i] = table8[left8[i]!]!
      out8[i + 1] = table8[left8[i + 1]!]!
      out8[i + 2] = table8[left8[i + 2]!]!
      out8[i + 3] = table8[left8[i + 3]!]!
    }
  }

  function each16to8(count: number): void {
    for (let i = 0; i < count; i += 4) {
      out8[i] = table8[codes16[i]!]!
      out8[i + 1] = table8[codes16[i + 1]!]!
      out8[i + 2] = table8[codes16[i + 2]!]!
      out8[i + 3] = table8[codes16[i + 3]!]!
    }
  }

  function each8to16(count: number): void {
    for (let i = 0; i < count; i += 4) {
      out16[i] = table16[left8[i]!]!
      out16[i + 1] = table16[left8[i + 1]!]!
      out16[i + 2] = table16[left8[i + 2]!]!
      out16[i + 3] = table16[left8[i + 3]!]!
    }
  }

  function each16to16(count: number): void {
    for (let i = 0; i < count; i += 4) {
      out16[i] = table16[codes16[i]!]!
      out16[i + 1] = table16[codes16[i + 1]!]!
      out16[i + 2] = table16[codes16[i + 2]!]!
      out16[i + 3] = table16[codes16[i + 3]!]!
    }
  }

  function pairsOf(count: number, bits: number): void {
    for (let i = 0; i < count; i += 4) {
      out8[i] = table8[(left8[i]! << bits) | right8[i]!]!
      out8[i + 1] = table8[(left8[i + 1]! << bits) | right8[i + 1]!]!
      out8[i + 2] = table8[(left8[i + 2]! << bits) | right8[i + 2]!]!
      out8[i + 3] = table8[(left8[i + 3]! << bits) | right8[i + 3]!]!
    }
  }

  function hold8(table: Codes): void {
    if (held8 !== table) table8.set(table)
    held8 = table
  }

  function hold16(table: Codes): void {
    if (held16 !== table) table16.set(table)
    held16 = table
  }

  function each(table: Codes, codes: Codes, out: Codes): void {
    const narrow = out instanceof Uint8Array
    if (narrow) hold8(table)
    else hold16(table)
    const results = narrow ? out8 : out16
    for (let start = 0; start < codes.length; start += block) {
      const part = codes.subarray(start, start + block)
      const count = part.length
      if (part instanceof Uint8Array) {
        left8.set(part)
        if (narrow) each8to8(count)
        else each8to16(count)
      } else {
        codes16.set(part)
        if (narrow) each16to8(count)
        else each16to16(count)
      }
      out.set(count === block ? results : results.subarray(0, count), start)
    }
  }

  function pairs(table: Uint8Array, bits: number, a: Uint8Array, b: Uint8Array, out: Uint8Array): void {
    hold8(table)
    if (a.length === 1) left8.fill(a[0]!)
    if (b.length === 1) right8.fill(b[0]!)
    for (let start = 0; start < out.length; start += block) {
      const count = Math.min(block, out.length - start)
      if (a.length !== 1) left8.set(a.subarray(start, start + count))
      if (b.length !== 1) right8.set(b.subarray(start, start + count))
      pairsOf(count, bits)
      out.set(count === block ? out8 : out8.subarray(0, count), start)
    }
  }

  return { each, pairs }
}
