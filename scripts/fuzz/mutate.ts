/** Uniform numbers in [0, 1). */
export type Random = () => number

const numbers = [0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff]
const texts = [
  '__proto__',
  '99999999999999999999',
  '-1',
  '1e999',
  '"',
  '\r',
  '\n',
  '[[[[[[[[',
  '{"a":',
  ',',
  '\0',
  '\ud83d\ude00',
  'null',
  '.',
]

/** A file with one to four things changed, as a damaged disk, a broken program, or somebody with intent would. */
export function mutate(file: Uint8Array, others: readonly Uint8Array[], random: Random): Uint8Array {
  let bytes: Uint8Array = Uint8Array.from(file)
  const changes = 1 + Math.floor(4 * random() ** 2)
  for (let i = 0; i < changes; i++) bytes = changed(bytes, others, random)
  return bytes
}

function changed(bytes: Uint8Array, others: readonly Uint8Array[], random: Random): Uint8Array {
  const below = (n: number): number => Math.floor(n * random())
  const at = below(bytes.length + 1)
  const end = Math.min(bytes.length, at + 1 + below(random() < 0.5 ? 8 : 200))
  const join = (...parts: Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))
  const view = new DataView(bytes.buffer)
  switch (below(9)) {
    case 0:
    case 1:
      if (at < bytes.length) bytes[at]! ^= 1 << below(8)
      return bytes
    case 2:
      if (at < bytes.length) bytes[at] = below(256)
      return bytes
    case 3: {
      const width = [1, 2, 4, 8][below(4)]!
      const place = at - (at % width)
      const value = numbers[below(numbers.length)]! + (random() < 0.2 ? -1 : 0)
      if (place + width > bytes.length) return bytes
      if (width === 1) view.setUint8(place, value)
      else if (width === 2) view.setUint16(place, value, true)
      else if (width === 4) view.setUint32(place, value, true)
      else view.setBigUint64(place, BigInt.asUintN(64, BigInt(value) << BigInt(below(33))), true)
      return bytes
    }
    case 4:
      return bytes.slice(0, at)
    case 5:
      return join(bytes.subarray(0, at), bytes.subarray(end))
    case 6:
      return join(bytes.subarray(0, end), bytes.subarray(at))
    case 7: {
      const text = Buffer.from(texts[below(texts.length)]!)
      return join(bytes.subarray(0, at), text, bytes.subarray(random() < 0.5 ? at : end))
    }
    default: {
      const other = others[below(others.length)]!
      const from = below(other.length + 1)
      return join(bytes.subarray(0, at), other.subarray(from, from + below(200)), bytes.subarray(end))
    }
  }
}
