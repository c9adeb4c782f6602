import type { KernelResults, KernelRow } from '../../experiments/drift/index.js'
import { jsonWithRows } from '../../report/index.js'

const fields: readonly (keyof KernelRow)[] = [
  ...(['kernel', 'way', 'input', 'length', 'block', 'dtype'] as const),
  ...(['normRel', 'maxAbs', 'rms', 'bias', 'bound', 'ofBound'] as const),
]

/** The results as JSON, one measurement a line. No times, no paths: the same options give the same bytes. */
export function kernelsJson(results: KernelResults): string {
  const head = {
    benchmark: 'kernels',
    seed: results.seed,
    dtypes: results.dtypes,
    lengths: results.lengths,
    blocks: results.blocks,
    reference: 'float64 on the same rounded operands',
    inputs: results.inputs,
    kernels: results.kernels.map(({ kernel, finding }) => ({ kernel: kernel.name, finding })),
  }
  return jsonWithRows(
    head,
    results.kernels.flatMap(({ rows }) => rows),
    fields,
  )
}
