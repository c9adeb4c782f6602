import { add, mul } from 'tpu-toolkit/bf16'
import { decodeTable } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { Columns } from '../support/columns.js'

// All 2^32 pairs of add and mul against the row hashes of exact single roundings (test/golden/formats).
// BF16_ROWS=from:to checks only those left operands; the default 0:65536 takes under a minute.
//
// The loop repeats src/bf16/arithmetic.ts inline over a table of values, which is several times faster than a call per
// pair; every 16th row goes through the public function itself.

const [from, to] = (process.env['BF16_ROWS'] ?? '0:65536').split(':').map(Number) as [number, number]

const values = decodeTable('bfloat16')
const scratch = new Float32Array(1)
const word = new Int32Array(scratch.buffer)

function rowHashAdd(a: number): number {
  const x = values[a]!
  let hash = 0x811c9dc5
  for (let b = 0; b < 65536; b++) {
    scratch[0] = x + values[b]!
    const bits = word[0]!
    const code = (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16
    hash = Math.imul(hash ^ code, 0x01000193)
  }
  return hash >>> 0
}

function rowHashMul(a: number): number {
  const x = values[a]!
  let hash = 0x811c9dc5
  for (let b = 0; b < 65536; b++) {
    scratch[0] = x * values[b]!
    const bits = word[0]!
    const code = (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc0 : (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16
    hash = Math.imul(hash ^ code, 0x01000193)
  }
  return hash >>> 0
}

/** The same row by the public function. */
function rowHashPublic(op: (a: number, b: number) => number, a: number): number {
  let hash = 0x811c9dc5
  for (let b = 0; b < 65536; b++) hash = Math.imul(hash ^ op(a, b), 0x01000193)
  return hash >>> 0
}

describe(`bf16, every pair, left operands ${from} to ${to - 1}`, () => {
  it.each([
    ['add', rowHashAdd, add],
    ['mul', rowHashMul, mul],
  ] as const)('%s(a, b) equals the exact single rounding', { timeout: 3_600_000 }, (name, rowHash, op) => {
    const keys = new Columns(`formats/binary_bfloat16_${name}`).u32('row_hash')
    const start = Date.now()
    for (let a = from; a < to; a++) {
      const hash = a % 16 === 0 ? rowHashPublic(op, a) : rowHash(a)
      if (hash !== keys[a]) expect([name, a, hash]).toEqual([name, a, keys[a]])
      if ((a + 1) % 4096 === 0) {
        process.stdout.write(
          `${name}: ${a + 1 - from} of ${to - from} rows, ${(Date.now() - start) / 1000} s\n`,
        )
      }
    }
  })
})
