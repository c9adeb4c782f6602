/** The medians of ten points each: single losses jump by a factor of a hundred from sequence to sequence. */
export function medians(
  steps: readonly number[],
  loss: readonly number[],
): { readonly x: number[]; readonly y: number[] } {
  const x: number[] = []
  const y: number[] = []
  for (let i = 0; i + 10 <= loss.length; i += 10) {
    x.push(steps[i + 5]!)
    y.push(loss.slice(i, i + 10).sort((a, b) => a - b)[5]!)
  }
  return { x, y }
}
