/** The high and the low word of a product of two words. */
function product(a: number, b: number): readonly [high: number, low: number] {
  const whole = BigInt(a) * BigInt(b)
  return [Number(whole >> 32n), Number(whole & 0xffffffffn)]
}

/**
 * Philox-4x32 with 10 rounds: a counter of four words enciphered under a key of two.
 *
 * Source    Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, doi:10.1145/2063384.2063405
 */
export function philox4x32(counter: readonly number[], key: readonly [number, number]): readonly number[] {
  let [a, b, c, d] = counter as [number, number, number, number]
  let [k, l] = key
  for (let round = 0; round < 10; round++) {
    const [high, low] = product(0xd2511f53, a)
    const [otherHigh, otherLow] = product(0xcd9e8d57, c)
    ;[a, b, c, d] = [(otherHigh ^ b ^ k) >>> 0, otherLow, (high ^ d ^ l) >>> 0, low]
    k = (k + 0x9e3779b9) >>> 0
    l = (l + 0xbb67ae85) >>> 0
  }
  return [a, b, c, d]
}
