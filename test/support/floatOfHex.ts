/** The float32 or float64 of 8 or 16 hex digits, the sign first. */
export function floatOfHex(hex: string): number {
  const bytes = Uint8Array.from({ length: hex.length / 2 }, (_, i) =>
    Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16),
  )
  const view = new DataView(bytes.buffer)
  return bytes.length === 4 ? view.getFloat32(0) : view.getFloat64(0)
}
