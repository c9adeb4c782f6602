import { fromBits, Tensor } from 'tpu-toolkit/tensor'

/** Where a run stands as text, every bit of its numbers and tensors kept: what `runOf` gives back. */
export function runText(state: unknown): string {
  return JSON.stringify(plain(state))
}

function plain(value: unknown): unknown {
  if (value instanceof Tensor) {
    const bits = value.toBits()
    const bytes = Buffer.from(bits.buffer, bits.byteOffset, bits.byteLength)
    return { $tensor: value.dtype, shape: value.shape, bits: bytes.toString('base64') }
  }
  // What JSON has no number for.
  if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) {
    return { $number: Object.is(value, -0) ? '-0' : String(value) }
  }
  if (Array.isArray(value)) return value.map(plain)
  if (!isRecord(value)) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`runText: neither plain data nor a tensor [${value.constructor.name}]`)
  }
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plain(part)]))
}

/** The value that a text of `runText` is of. */
export function runOf(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) => {
    if (!isRecord(value)) return value
    if (typeof value['$number'] === 'string') return Number(value['$number'])
    if (typeof value['$tensor'] !== 'string') return value
    const {
      $tensor: dtype,
      shape,
      bits,
    } = value as { $tensor: Tensor['dtype']; shape: number[]; bits: string }
    const bytes = new Uint8Array(Buffer.from(bits, 'base64'))
    const words = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array, 8: BigUint64Array } as const
    const size = shape.reduce((n, length) => n * length, 1)
    const width = (size === 0 ? 1 : bytes.length / size) as keyof typeof words
    return fromBits(new words[width](bytes.buffer), { shape, dtype })
  })
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
