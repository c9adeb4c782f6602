import { readable } from '../../../base/text/index.js'
import { softmax } from '../../../numerics/index.js'
import { normalDraws } from '../lab/driftInputs.js'
import { atLongest, formatNumber, outcome } from '../lab/formatNumber.js'
import { type Operation, powersOfTwo } from '../lab/operation.js'
import { exactSoftmax } from '../lab/reference.js'
import { sequence, sequences } from '../lab/sequences.js'

/** Softmax over long rows: the sum of exponentials is where it breaks. */
export const softmaxCase: Operation = {
  name: 'softmax',
  title: 'Softmax',
  about:
    'exp(x - max) / sum over the whole input as logits. Naive: difference, exponential, running sum and quotient each rounded to the dtype. Stable: all in float32, rounded once.',
  lengthName: 'length',
  lengths: powersOfTwo(16, 65_536),
  running: false,
  growth: 'maxRel',
  trials: (lab) => {
    const logits = normalDraws(lab.seed, 6, lab.lengths.at(-1) ?? 0).map((z) => 4 * z)
    const all = [...sequences(lab), sequence('normal x 4', logits, lab.dtype)]
    return all.flatMap(({ name, values, start }) =>
      lab.lengths.map((length) => () => {
        const x = start(length)
        return {
          variant: '',
          input: name,
          length,
          reference: exactSoftmax(values.subarray(0, length)),
          ways: [
            { name: 'naive', role: 'naive' as const, compute: () => softmax(x, { accumulate: lab.dtype }) },
            { name: 'stable', role: 'stable' as const, compute: () => softmax(x, { internal: 'float32' }) },
          ],
        }
      }),
    )
  },
  finding: (rows, dtype) => {
    const naive = atLongest(rows, { input: 'earthquakes', way: 'naive' })
    const stable = atLongest(rows, { input: 'earthquakes', way: 'stable' })
    if (!naive || !stable) return ''
    return `Over ${readable(naive.length)} nearly equal logits the ${dtype} softmax gives weights of ${outcome(naive, dtype)}, where ${formatNumber(naive.lastReference)} is right; with float32 inside, ${outcome(stable, dtype)}.`
  },
  figures: () =>
    ['earthquakes', 'flights', 'uniform', 'normal x 4'].map((input) => ({
      input,
      variant: '',
      measure: 'maxRel' as const,
      caption: `Relative error of the worst weight, logits: ${input}.`,
    })),
}
