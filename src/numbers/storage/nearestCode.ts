import type { BlockwiseType } from './blockwiseType.js'

const { fround } = Math

/** The code of a number that was divided by its scale, as the rule has it, by a search: the reference of `tablesOf`. */
export function nearestCode({ map, rule }: BlockwiseType, x: number): number {
  const values = map!
  const last = values.length - 1
  if (rule === 'bitsandbytes') {
    if (Number.isNaN(x)) return last
    let code = 0
    while (code < last && x > middle(values, code)) code++
    return code
  }
  if (rule === 'bitsandbytes-cpu') {
    return nearestCode({ map, rule: 'bitsandbytes' } as BlockwiseType, gridPoint(x))
  }
  const code = codeBelow(values, x)
  const up = Math.min(code + 1, last)
  const half = fround(fround(values[up]! - values[code]!) * 0.5)
  return fround(x - values[code]!) >= half ? up : code
}

/** The bound between two neighbours in float32. */
const middle = (values: Float32Array, code: number): number =>
  fround(fround(values[code]! + values[code + 1]!) / 2)

/** The largest code whose number is at most x; 0 where there is none. */
export function codeBelow(values: Float32Array, x: number): number {
  let code = 0
  while (code < values.length - 1 && x >= values[code + 1]!) code++
  return code
}

/** bitsandbytes' native CPU kernel sees x as one of 65,536 numbers from -1 to 1, evenly spaced; NaN as the least. */
function gridPoint(x: number): number {
  return fround(fround(fround(gridPlace(x) / 65535) * 2) - 1)
}

function gridPlace(x: number): number {
  const clamped = Math.min(Math.max(x, -1), 1)
  const place = fround(fround(fround(fround(clamped + 1) * 0.5) * 65535) + 0.5)
  return place > 0 ? Math.min(Math.trunc(place), 65535) : 0
}

/** What finds the codes of `nearestCode` without a search, see `tablesOf`. */
export interface CodeTables {
  /** A first code for every value of a number's upper 16 bits. */
  readonly first: Uint8Array
  /** The least number of every code but 0: the code is the first one, plus one for each of those behind it that the number reaches. */
  readonly bounds: Float32Array
}

const known = new WeakMap<BlockwiseType, CodeTables>()

/** The tables of a type with a map. */
export function tablesOf(type: BlockwiseType): CodeTables {
  let tables = known.get(type)
  if (tables === undefined) {
    tables = codeTables(type)
    known.set(type, tables)
  }
  return tables
}

const float = new Float32Array(1)
const word = new Int32Array(float.buffer)

/** Numbers in the order of their values. */
const ordinalOf = (x: number): number => {
  float[0] = x
  return word[0]! < 0 ? -(word[0]! & 0x7fffffff) : word[0]!
}
const ofOrdinal = (ordinal: number): number => {
  word[0] = ordinal < 0 ? -ordinal | 0x80000000 : ordinal
  return float[0]!
}

/** Each bound is found by halving, which the rules allow: larger numbers never have smaller codes. */
function codeTables(type: BlockwiseType): CodeTables {
  const last = type.map!.length - 1
  const bounds = Float32Array.from({ length: last }, (_, code) => {
    let [low, high] = [ordinalOf(-2), ordinalOf(2)]
    while (high - low > 1) {
      const between = low + Math.floor((high - low) / 2)
      if (nearestCode(type, ofOrdinal(between)) > code) high = between
      else low = between
    }
    return ofOrdinal(high)
  })
  const first = new Uint8Array(65536)
  for (let upper = 0; upper < 65536; upper++) {
    // The least number of those that begin so: of negative ones the largest magnitude.
    word[0] = upper < 0x8000 ? upper << 16 : (upper << 16) | 0xffff
    let code = 0
    if (Number.isNaN(float[0])) code = nearestCode(type, Number.NaN)
    else while (code < last && float[0]! >= bounds[code]!) code++
    first[upper] = code
  }
  return { first, bounds }
}
