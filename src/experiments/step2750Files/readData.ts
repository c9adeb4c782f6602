import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { checkPath } from '../../base/options/index.js'
import type { Step2750Data } from '../step2750/index.js'

const names = ['a_log', 'b', 'c', 'dt_bias', 'dt_gap'] as const

/**
 * Reads the data of a run from a JSON file and the binary file that it names, beside it: `file`; `arrays`, x then y, each
 * { name, shape: [rows, length], offset_bytes }, bfloat16 codes, uint16 little-endian; `g`, the clock, `length` codes in
 * hex; `init`, the float32 bits of a_log, b, c, dt_bias and dt_gap in hex.
 *
 * Throws    a RangeError says what is missing or does not fit.
 */
export function readData(path: string): Step2750Data {
  checkPath('readData', path)
  const refuse = (why: string): RangeError => new RangeError(`step2750: ${why} [${path}]`)
  let facts: Record<string, unknown>
  try {
    facts = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw refuse(`cannot read the data file, ${(error as Error).message.split('\n')[0]!.slice(0, 80)}`)
  }
  if (typeof facts !== 'object' || facts === null || typeof facts['file'] !== 'string') {
    throw refuse('the data file names no binary file')
  }
  const arrays = ['x', 'y'].map((name) => arrayOf(facts['arrays'], name))
  const [x, y] = arrays
  if (!x || !y || x.rows !== y.rows || x.length !== y.length) {
    throw refuse('the data file does not describe x and y of one shape [rows, length]')
  }
  const { rows, length } = x
  let bytes: Uint8Array
  try {
    bytes = readFileSync(resolve(dirname(path), facts['file']))
  } catch {
    throw refuse(`cannot read ${facts['file'].slice(0, 80)}, which the data file names`)
  }
  const needed = 2 * rows * length
  if (bytes.length !== 2 * needed) {
    throw refuse(`${facts['file'].slice(0, 80)} has ${bytes.length} bytes, not the ${2 * needed} of x and y`)
  }
  const codes = (offset: number): Uint16Array => {
    if (offset !== 0 && offset !== needed) throw refuse(`x and y do not begin at 0 and ${needed} bytes`)
    const view = new DataView(bytes.buffer, bytes.byteOffset + offset, needed)
    return Uint16Array.from({ length: rows * length }, (_, i) => view.getUint16(2 * i, true))
  }
  const clock = hexWords(facts['g'], 4)
  if (clock?.length !== length) throw refuse(`g is not ${length} codes of 4 hex digits`)
  const given = facts['init'] as Record<string, unknown> | undefined
  const init = hexWords(
    names.map((name) => given?.[name]),
    8,
  )
  if (!init) throw refuse(`init is not the float32 bits of ${names.join(', ')}`)
  return {
    rows,
    length,
    x: codes(x.offset),
    y: codes(y.offset),
    clock: Uint16Array.from(clock),
    init: new Float32Array(Uint32Array.from(init).buffer),
  }
}

function arrayOf(list: unknown, name: string): { rows: number; length: number; offset: number } | undefined {
  if (!Array.isArray(list)) return undefined
  const found = list.find((entry) => entry?.name === name)
  const [rows, length, ...others] = Array.isArray(found?.shape) ? found.shape : []
  const whole = [rows, length].every((n) => Number.isInteger(n) && n >= 1)
  if (!whole || others.length > 0 || !Number.isInteger(found.offset_bytes)) return undefined
  return { rows, length, offset: found.offset_bytes }
}

/** Words of so many hex digits as numbers, undefined where one is none. */
function hexWords(list: unknown, digits: number): number[] | undefined {
  if (!Array.isArray(list)) return undefined
  const ok = list.every(
    (word) => typeof word === 'string' && new RegExp(`^[\\da-f]{${digits}}$`, 'i').test(word),
  )
  return ok ? list.map((word) => Number.parseInt(word, 16)) : undefined
}
