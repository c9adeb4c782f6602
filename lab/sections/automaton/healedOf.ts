/** How much of a wound is healed, in words, by how far the picture is off the flower: before the wound, after it, and now. */
export function healedOf(before: number, after: number, now: number): string {
  // A hole where nothing had grown.
  if (!(after > before)) return 'none'
  if (!(now < after)) return 'not healed'
  return `${Math.min(100, Math.round((100 * (after - now)) / (after - before)))} % healed`
}
