/** Numbers as exact integers: every finite value with a magnitude below 2^256 and nothing below 2^-298, times 2^298. */
const unit = 2 ** 298

/** A finite number in units of 2^-298; products of two float32 values fit. */
export function toUnits(value: number): bigint {
  const scaled = value * unit
  if (!Number.isInteger(scaled)) {
    throw new RangeError(`toUnits: not a multiple of 2^-298 below 2^700 [${value}]`)
  }
  return BigInt(scaled)
}

/** Units as a number, within a relative 2^-52. */
export function fromUnits(units: bigint): number {
  return Number(units) / unit
}

/** |value - exact| as a number. */
export function distance(value: number, exact: bigint): number {
  const difference = toUnits(value) - exact
  return fromUnits(difference < 0n ? -difference : difference)
}
