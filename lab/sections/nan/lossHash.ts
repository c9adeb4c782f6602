/** FNV-1a over the bits of float32 numbers, every NaN one: 8 hex digits. */
export function hashOf(values: Float32Array): string {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length)
  const hash = words.reduce((h, word) => {
    const bits = (word & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : word
    return Math.imul(h ^ bits, 0x01000193)
  }, 0x811c9dc5)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
