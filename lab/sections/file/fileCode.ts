import type { FileTensorRow } from './fileMessages.js'

/** A program with the first values of a tensor, which runs in the editor, and what does the same with the whole file in Node. */
export function fileCode(
  file: string,
  tensor: FileTensorRow | undefined,
  schemes: readonly string[],
): string {
  const shown = tensor?.first ?? [1, -2.5, 0.01]
  const values = shown.map((x) => String(Number(x.toPrecision(9)))).join(', ')
  const named = schemes.map((name) => `'${name}'`).join(', ')
  return `import { piecewise, quantizationWays, reportPieces, survey } from 'tpu-toolkit/blocks'

// The first ${shown.length} values of ${tensor?.name ?? 'a tensor'}. The whole file, in Node:
//   npx tpu-toolkit quantize ${/^[\w.-]+$/.test(file) ? file : 'model.safetensors'} --format ${schemes.join(',')}
const values = Float64Array.of(${values})
const tensor = piecewise('first values', [values.length], (from, to) => values.slice(from, to))
const ways = quantizationWays.filter(
  ({ scheme, way }) => [${named}].includes(scheme) && ['plain', 'floor', 'two levels'].includes(way),
)
reportPieces(tensor, ways, survey(tensor).amax).forEach(({ sqnr, maxError }, i) => {
  console.log(ways[i]!.scheme, ways[i]!.way, 'SQNR', sqnr, 'dB, largest error', maxError)
})
`
}
