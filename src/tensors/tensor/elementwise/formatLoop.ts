import { decodeTable, encoder, type FloatFormat } from '../../../numbers/formats/index.js'
import { arena, arithmeticBlocks, type BinaryKernel } from '../../../numbers/simd/index.js'
import { lookUpPairs } from './lookUp.js'
import { type Loop, pointwise } from './loops.js'

type Binary = (a: number, b: number) => number

/** Runs shorter than this go code by code. */
const shortRun = 16

/** The reference: decode, compute in float64, round once. */
export function scalarLoop(f: Binary, format: FloatFormat): Loop {
  const code = codeOf(f, format)
  return pointwise(code)
}

function codeOf(f: Binary, format: FloatFormat): Binary {
  const values = decodeTable(format)
  const encode = encoder(format)
  return (a, b) => encode(f(values[a]!, values[b]!))
}

/**
 * Formats of up to 8 bits: through the results of all pairs of codes, which are made once an eighth as many elements
 * have gone code by code.
 */
export function pairLoop(f: Binary, format: FloatFormat): Loop {
  const { bits } = format
  const size = 2 ** bits
  const scalar = scalarLoop(f, format)
  let table: Uint8Array | undefined
  let work = 0
  return (a, i, di, b, j, dj, out, k, n) => {
    work += n
    if (table === undefined && work >= size ** 2 / 8) {
      const code = codeOf(f, format)
      table = Uint8Array.from({ length: size ** 2 }, (_, pair) => code(pair >>> bits, pair % size))
    }
    if (table === undefined || n < shortRun) {
      scalar(a, i, di, b, j, dj, out, k, n)
      return
    }
    const left = (a as Uint8Array).subarray(i, i + (di ? n : 1))
    const right = (b as Uint8Array).subarray(j, j + (dj ? n : 1))
    lookUpPairs(table, bits, left, right, (out as Uint8Array).subarray(k, k + n))
  }
}

/** float16: eight at a time where the machine can. */
export function float16Loop(f: Binary, op: BinaryKernel, format: FloatFormat): Loop {
  const scalar = scalarLoop(f, format)
  return (a, i, di, b, j, dj, out, k, n) => {
    const simd = n < shortRun ? undefined : arena('simd')
    if (!simd) {
      scalar(a, i, di, b, j, dj, out, k, n)
      return
    }
    const left = (a as Uint16Array).subarray(i, i + (di ? n : 1))
    const right = (b as Uint16Array).subarray(j, j + (dj ? n : 1))
    arithmeticBlocks(simd, op, left, right, (out as Uint16Array).subarray(k, k + n), 'float16')
  }
}
