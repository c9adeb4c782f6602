import { type QuantizationWay, quantizationWays } from 'tpu-toolkit/blocks'

/** Every format and block scheme. */
export const schemeNames: readonly string[] = [...new Set(quantizationWays.map(({ scheme }) => scheme))]

/** How they are applied: of a scheme that has no such way its usual one is taken. */
export const fileWayNames: readonly string[] = [
  'usual',
  ...new Set(quantizationWays.map(({ way }) => way).filter((way) => !isUsual(way))),
]

function isUsual(way: string): boolean {
  return ['plain', 'floor', 'two levels', 'stored', 'rows'].includes(way)
}

/** One way of each scheme that is named, in the order of the list. */
export function waysOf(schemes: readonly string[], way: string): QuantizationWay[] {
  return schemeNames
    .filter((name) => schemes.includes(name))
    .flatMap((name) => {
      const there = quantizationWays.filter(({ scheme }) => scheme === name)
      const asked = there.find((one) => one.way === way) ?? there.find((one) => isUsual(one.way))
      return asked ? [asked] : there.slice(0, 1)
    })
}
