import {
  decodeTable,
  defineFormat,
  type EncodeOptions,
  type FloatFormat,
  format,
  formatNames,
  ieeeFormat,
  p3109Format,
} from 'tpu-toolkit/formats'

/** The named formats, and one of one's own for every other way a format can be made. */
export const shapes: readonly FloatFormat[] = [
  ...formatNames.map((name) => format(name)),
  p3109Format(8, 4),
  p3109Format(8, 1),
  p3109Format(6, 3, { signed: false, infinity: false }),
  ieeeFormat(10, 31),
  defineFormat({
    name: 'flush',
    exponentBits: 4,
    mantissaBits: 3,
    bias: 8,
    nan: 'none',
    infinity: false,
    subnormals: false,
  }),
  defineFormat({
    name: 'ue5m3',
    exponentBits: 5,
    mantissaBits: 3,
    bias: 15,
    nan: 'top',
    infinity: true,
    signed: false,
  }),
]

/** A float64's neighbours: below and above a positive number; above zero. */
export function neighbours(value: number): { below: number; above: number } {
  const float = Float64Array.of(value)
  const bits = new BigInt64Array(float.buffer)
  const middle = bits[0]!
  const at = (pattern: bigint): number => {
    bits[0] = pattern
    return float[0]!
  }
  return { below: value === 0 ? Number.NaN : at(middle - 1n), above: at(middle + 1n) }
}

/** Where a magnitude lies between a code's value and the next one's. */
export type Place = 'at' | 'above' | 'below the middle' | 'middle' | 'above the middle' | 'below the next'

/** A magnitude at a place between a code's value and the next one's. */
export interface PlacedMagnitude {
  readonly code: number
  readonly place: Place
  readonly magnitude: number
}

/** For every finite magnitude code the numbers at each place between it and the next code, in ascending order. */
export function places(format: FloatFormat): PlacedMagnitude[] {
  const table = decodeTable(format)
  const { maxCode, mantissaBits } = format
  return Array.from({ length: maxCode + 1 }, (_, code): PlacedMagnitude[] => {
    const low = table[code]!
    // Past the largest finite code the next one is what it would be with another exponent.
    const high = code === maxCode ? low + 2 ** (format.maxExponent - mantissaBits) : table[code + 1]!
    const middle = (low + high) / 2
    const around = neighbours(middle)
    return [
      { code, place: 'at', magnitude: low },
      { code, place: 'above', magnitude: neighbours(low).above },
      { code, place: 'below the middle', magnitude: around.below },
      { code, place: 'middle', magnitude: middle },
      { code, place: 'above the middle', magnitude: around.above },
      { code, place: 'below the next', magnitude: neighbours(high).below },
    ]
  }).flat()
}

/** Every mode, the stochastic one with its smallest, middle and largest word. */
export const everyMode: readonly (EncodeOptions & { readonly title: string })[] = [
  ...(['nearest-even', 'nearest-away', 'toward-zero', 'up', 'down', 'to-odd'] as const).map((rounding) => ({
    title: rounding,
    rounding,
  })),
  ...[0, 0x80000000, 0xffffffff].map((word) => ({
    title: `stochastic, word ${word.toString(16)}`,
    rounding: 'stochastic' as const,
    random: () => word,
  })),
]
