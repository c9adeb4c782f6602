/**
 * Matrix units in big integers, written from the description of the hardware alone: numbers are n 2^e, and nothing here is a
 * float until the end.
 */
export interface TwinFormat {
  readonly exponentBits: number
  readonly fractionBits: number
  readonly bias: number
  /** 'ieee': the top exponent has infinities and NaN; 'fn': all ones alone are NaN; 'fnuz': the code of -0 is NaN. */
  readonly special: 'ieee' | 'fn' | 'fnuz'
}

export const twinFormats: Readonly<Record<string, TwinFormat>> = {
  bfloat16: { exponentBits: 8, fractionBits: 7, bias: 127, special: 'ieee' },
  float16: { exponentBits: 5, fractionBits: 10, bias: 15, special: 'ieee' },
  float32: { exponentBits: 8, fractionBits: 23, bias: 127, special: 'ieee' },
  float8_e4m3fn: { exponentBits: 4, fractionBits: 3, bias: 7, special: 'fn' },
  float8_e5m2: { exponentBits: 5, fractionBits: 2, bias: 15, special: 'ieee' },
  float8_e4m3fnuz: { exponentBits: 4, fractionBits: 3, bias: 8, special: 'fnuz' },
  float8_e5m2fnuz: { exponentBits: 5, fractionBits: 2, bias: 16, special: 'fnuz' },
}

/** n 2^e, and the exponent that it is aligned by: undefined for 0. Or a special value. */
export type TwinNumber =
  | { readonly n: bigint; readonly e: number; readonly exponent: number | undefined }
  | 'nan'
  | 'inf'
  | '-inf'

const zero: TwinNumber = { n: 0n, e: 0, exponent: undefined }

export function twinDecode(code: number, format: TwinFormat): TwinNumber {
  const { exponentBits, fractionBits, bias, special } = format
  const fraction = code % 2 ** fractionBits
  const field = Math.floor(code / 2 ** fractionBits) % 2 ** exponentBits
  const isNegative = Math.floor(code / 2 ** (fractionBits + exponentBits)) % 2 === 1
  const top = 2 ** exponentBits - 1
  if (special === 'ieee' && field === top) return fraction > 0 ? 'nan' : isNegative ? '-inf' : 'inf'
  if (special === 'fn' && field === top && fraction === 2 ** fractionBits - 1) return 'nan'
  if (special === 'fnuz' && isNegative && field === 0 && fraction === 0) return 'nan'
  const significand = BigInt(field === 0 ? fraction : fraction + 2 ** fractionBits)
  if (significand === 0n) return zero
  const exponent = Math.max(field, 1) - bias
  return { n: isNegative ? -significand : significand, e: exponent - fractionBits, exponent }
}

function product(a: TwinNumber, b: TwinNumber): TwinNumber {
  if (a === 'nan' || b === 'nan') return 'nan'
  if (typeof a === 'string' || typeof b === 'string') {
    const sign = (x: TwinNumber): number =>
      typeof x === 'string' ? (x === 'inf' ? 1 : -1) : Math.sign(Number(x.n))
    const both = sign(a) * sign(b)
    return both === 0 ? 'nan' : both > 0 ? 'inf' : '-inf'
  }
  if (a.n === 0n || b.n === 0n) return zero
  return { n: a.n * b.n, e: a.e + b.e, exponent: a.exponent! + b.exponent! }
}

/** n 2^e in units of 2^unit, toward zero or down. */
function inUnits(n: bigint, e: number, unit: number, down = false): bigint {
  if (e >= unit) return n << BigInt(e - unit)
  const divisor = 1n << BigInt(unit - e)
  const quotient = n / divisor
  return down && n < 0n && quotient * divisor !== n ? quotient - 1n : quotient
}

/** What IEEE arithmetic makes of terms of which some are special. */
function specialSum(terms: readonly TwinNumber[]): 'nan' | 'inf' | '-inf' | undefined {
  const [up, down] = [terms.includes('inf'), terms.includes('-inf')]
  if (terms.includes('nan') || (up && down)) return 'nan'
  return up ? 'inf' : down ? '-inf' : undefined
}

type Finite = Exclude<TwinNumber, string>

const leastOf = (terms: readonly Finite[], floor: number): number =>
  Math.max(floor, ...terms.map(({ exponent }) => exponent ?? Number.NEGATIVE_INFINITY))

function cutSum(terms: readonly Finite[], unit: number): bigint {
  return terms.reduce((sum, { n, e }) => sum + inUnits(n, e, unit), 0n)
}

export interface TwinTarget {
  readonly bits: number
  readonly least: number
  readonly limit: number
  readonly mode: 'cut' | 'nearest'
}

/** n 2^e as a number of a format: toward zero or to nearest even; -0 where a negative one vanishes. */
export function twinRound(n: bigint, e: number, { bits, least, limit, mode }: TwinTarget): number {
  if (n === 0n) return 0
  const magnitude = n < 0n ? -n : n
  const exponent = magnitude.toString(2).length - 1 + e
  const unit = Math.max(exponent, least) - (bits - 1)
  let kept = inUnits(magnitude, e, unit)
  if (mode === 'nearest' && unit > e) {
    const rest = magnitude - (kept << BigInt(unit - e))
    const half = 1n << BigInt(unit - e - 1)
    if (rest > half || (rest === half && kept % 2n === 1n)) kept += 1n
  }
  const value = Number(kept) * 2 ** unit
  const result = value >= 2 ** limit ? Number.POSITIVE_INFINITY : value
  return n < 0n ? -result : result
}

const specials = { nan: Number.NaN, inf: Number.POSITIVE_INFINITY, '-inf': Number.NEGATIVE_INFINITY } as const

/** One group of an NVIDIA unit: products and accumulator in one sum, F fractional bits below the largest exponent. */
export function twinFused(
  pairs: readonly (readonly [TwinNumber, TwinNumber])[],
  c: TwinNumber,
  F: number,
  target: TwinTarget,
): number {
  const terms = [...pairs.map(([a, b]) => product(a, b)), c]
  const special = specialSum(terms)
  if (special) return specials[special]
  const finite = terms as readonly Finite[]
  // A zero counts with exponent -126.
  const hasZero = finite.some(({ n }) => n === 0n)
  const unit = leastOf(finite, hasZero ? -126 : Number.NEGATIVE_INFINITY) - F
  return twinRound(cutSum(finite, unit), unit, target)
}

/** One group of CDNA 3. */
export function twinFloored(
  pairs: readonly (readonly [TwinNumber, TwinNumber])[],
  c: TwinNumber,
  F: number,
  inHalves: boolean,
  target: TwinTarget,
): number {
  const products = pairs.map(([a, b]) => product(a, b))
  const special = specialSum([...products, c])
  if (special) return specials[special]
  const finite = products as readonly Finite[]
  const large = finite.flatMap((x) => {
    const isLarge = x.n !== 0n && (x.n < 0n ? -x.n : x.n).toString(2).length - 1 + x.e >= 128
    return isLarge ? [x.n > 0n ? ('inf' as const) : ('-inf' as const)] : []
  })
  const overflow = specialSum(large)
  if (overflow) return specials[overflow]
  const halves = inHalves
    ? [finite.filter((_, i) => i % 2 === 0), finite.filter((_, i) => i % 2 === 1)]
    : [finite]
  const own = c as Finite
  const floor = -2000
  const largest = halves.map((half) => leastOf(half, floor))
  const top = Math.max(...largest)
  const parts = halves.map((half, i) => {
    const unit = largest[i]! - F
    const sum = cutSum(half, unit)
    return inHalves ? inUnits(sum, unit, top - F, true) : sum
  })
  const sum = parts.reduce((x, y) => x + y, 0n)
  const both = Math.max(top, own.exponent ?? floor)
  const kept = inUnits(sum, top - F, both - 31, true)
  const isLost = inHalves && (own.exponent ?? floor) < both - 25
  const start = isLost ? 0n : inUnits(own.n, own.e, both - F, true)
  const unit = both - 31
  return twinRound(kept + (start << BigInt(31 - F)), unit, target)
}
