import { foldIn, key, normal } from '../../../tensors/random/index.js'
import type { KernelInput } from './kernelRow.js'
import { type Activations, trainedActivations } from './smallModel.js'

const streams = ['q', 'k', 'v', 'x', 'w'] as const

/** Every how many columns is one of outliers, and how much larger they are. */
const [every, larger] = [64, 100]

/** Normal numbers; the same with a column of outliers in every 64; activations of a model that is trained on a text. */
export function kernelInputs(
  seed: number,
  longest: number,
  text: Uint8Array | undefined,
  steps: number,
): readonly KernelInput[] {
  const drawn: KernelInput['numbers'] = (what, rows, columns) =>
    Float64Array.from(normal(foldIn(key(seed), streams.indexOf(what)), [rows, columns]).toNumbers())
  const made: KernelInput[] = [
    { name: 'normal', about: `normal numbers, deviation 1, seed ${seed}`, numbers: drawn },
    {
      name: 'outliers',
      about: `the same, a column in ${every} times ${larger}`,
      numbers: (what, rows, columns) =>
        drawn(what, rows, columns).map((y, i) => ((i % columns) % every === 7 ? larger * y : y)),
    },
  ]
  if (!text) return made
  const activations = trainedActivations(text, longest, steps, seed)
  const [first, last] = [activations.losses[0]!, activations.losses.at(-1)!]
  return [
    ...made,
    {
      name: 'activations',
      about: `of a decoder of one block, d 64, after ${steps} steps on a text, its loss ${first.toFixed(2)}, then ${last.toFixed(2)}: queries and keys turned to their positions, values, the stream behind the block`,
      numbers: (what, rows, columns) => repeated(activations[what], rows * columns),
    },
  ]
}

/** The first numbers of a stream, from its beginning again where it ends. */
function repeated(stream: Activations['q'], count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => stream[i % stream.length]!)
}
