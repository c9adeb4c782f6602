import type { Tensor } from 'tpu-toolkit/tensor'

/** What differs first between two lists of tensors, bit for bit; undefined where nothing does. */
export function difference(results: readonly Tensor[], expected: readonly Tensor[]): string | undefined {
  for (const [k, x] of results.entries()) {
    const y = expected[k]!
    if (x.dtype !== y.dtype || x.shape.join() !== y.shape.join()) {
      return `result ${k}: ${x.dtype} [${x.shape}], is ${y.dtype} [${y.shape}]`
    }
    const [a, b] = [x.toBits(), y.toBits()]
    const at = a.findIndex((bits: number | bigint, i: number) => bits !== b[i])
    if (at >= 0) {
      return `result ${k}, ${x.dtype} [${x.shape}], element ${at}: ${a[at]!.toString(16)}, is ${b[at]!.toString(16)}`
    }
  }
  return results.length === expected.length ? undefined : 'another number of results'
}
