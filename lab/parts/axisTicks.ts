/** Round numbers from `first` to `last` for an axis of so many pixels; of a log axis the ends are exponents of ten. */
export function axisTicks(first: number, last: number, log: boolean, pixels: number): number[] {
  const most = Math.max(2, Math.floor(pixels / 70))
  // Of few decades the twos and fives too.
  if (log && last - first >= 0.5 && last - first < 2.5) {
    const decades = Array.from(
      { length: Math.ceil(last) - Math.floor(first) + 1 },
      (_, i) => Math.floor(first) + i,
    )
    return decades
      .flatMap((decade) => [1, 2, 5].map((factor) => Number(`${factor}e${decade}`)))
      .filter((tick) => Math.log10(tick) >= first - 1e-9 && Math.log10(tick) <= last + 1e-9)
  }
  if (log && last - first >= 1) {
    const step = Math.max(1, Math.ceil((last - first) / Math.max(2, pixels / 45)))
    const from = Math.ceil(first / step - 1e-9) * step
    return Array.from(
      { length: Math.floor((last - from) / step + 1e-9) + 1 },
      (_, i) => 10 ** (from + i * step),
    )
  }
  const [low, high] = log ? [10 ** first, 10 ** last] : [first, last]
  const rough = (high - low) / most
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999) ?? 10)
  const from = Math.ceil(low / step - 1e-9)
  const count = Math.floor(high / step + 1e-9) - from + 1
  return Array.from({ length: Math.max(0, count) }, (_, i) => Number(((from + i) * step).toPrecision(12)))
}

/** A number in few characters: 2,750, 0.03, 1e-7. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  const size = Math.abs(value)
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) {
    return value
      .toExponential(3)
      .replace(/\.?0+e/, 'e')
      .replace('e+', 'e')
  }
  return value.toLocaleString('en', { maximumSignificantDigits: 6 })
}
