// node:crypto for tests in a browser: SHA-256 of bytes, at once, which the browser's own does not give. FIPS 180-4.

const primes = Array.from({ length: 312 }, (_, i) => i).filter(
  (n) => n > 1 && Array.from({ length: n }, (_, d) => d).every((d) => d < 2 || n % d !== 0),
)
const fraction = (x: number): number => Math.floor((x - Math.floor(x)) * 2 ** 32)
const rotate = (x: number, n: number): number => (x >>> n) | (x << (32 - n))
const k = Uint32Array.from(primes, (p) => fraction(Math.cbrt(p)))

export function createHash(name: 'sha256'): Hash {
  if (name !== 'sha256') throw new Error(`createHash: only sha256 is here [${String(name)}]`)
  return new Hash()
}

class Hash {
  readonly #parts: Uint8Array[] = []

  update(bytes: ArrayBufferView | string): this {
    this.#parts.push(
      typeof bytes === 'string'
        ? new TextEncoder().encode(bytes)
        : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    )
    return this
  }

  digest(_: 'hex'): string {
    const length = this.#parts.reduce((sum, part) => sum + part.length, 0)
    const padded = new Uint8Array((Math.floor((length + 8) / 64) + 1) * 64)
    let at = 0
    for (const part of this.#parts) {
      padded.set(part, at)
      at += part.length
    }
    padded[length] = 0x80
    const view = new DataView(padded.buffer)
    view.setUint32(padded.length - 8, Math.floor(length / 2 ** 29))
    view.setUint32(padded.length - 4, length * 8)
    const h = Uint32Array.from(primes.slice(0, 8), (p) => fraction(Math.sqrt(p)))
    const w = new Uint32Array(64)
    for (let block = 0; block < padded.length; block += 64) {
      for (let i = 0; i < 16; i++) w[i] = view.getUint32(block + 4 * i)
      for (let i = 16; i < 64; i++) {
        const [a, b] = [w[i - 15]!, w[i - 2]!]
        const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3)
        const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10)
        w[i] = w[i - 16]! + s0 + w[i - 7]! + s1
      }
      compress(h, w)
    }
    return Array.from(h, (word) => word.toString(16).padStart(8, '0')).join('')
  }
}

function compress(h: Uint32Array, w: Uint32Array): void {
  let [a, b, c, d, e, f, g, last] = h as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)
    const t1 = (last + s1 + ((e & f) ^ (~e & g)) + k[i]! + w[i]!) | 0
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    ;[last, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0]
  }
  for (const [i, word] of [a, b, c, d, e, f, g, last].entries()) h[i] = h[i]! + word
}
