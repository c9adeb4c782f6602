/** 1 / (1 + exp(-x)), of the two forms the one whose exponential is at most 1. */
export function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x))
  const tail = Math.exp(x)
  return tail / (1 + tail)
}
