/** A number in a sentence: whole numbers whole, thousands apart; others in six digits if that is all they have, else four. */
export function say(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Inf' : '-Inf'
  if (Number.isInteger(value) && Math.abs(value) < 1e9) return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
  const six = Number(value.toPrecision(6))
  if (Math.abs(value) < 1e-4) return Number(value.toPrecision(4)).toExponential()
  return String(six === value ? six : Number(value.toPrecision(4)))
}
