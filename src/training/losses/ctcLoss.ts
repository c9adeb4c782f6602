import {
  checkInteger,
  checkNumber,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import { logAddExp, logSoftmax } from '../../numerics/index.js'
import {
  add,
  cast,
  checkTensor,
  concat,
  type DType,
  equal,
  neg,
  reshape,
  slice,
  type Tensor,
  takeAlongAxis,
  tensor,
  where,
} from '../../tensors/tensor/index.js'
import { checkFloat, inside, type LossOptions, lossNames } from './lossOptions.js'

/** The attributes of CTC besides logits and labels. */
export interface CtcOptions extends LossOptions {
  /** [batch, steps], 1 where there is no frame any more, else 0. Default: all are frames. */
  readonly logitPaddings?: Tensor
  /** [batch, labels], 1 behind the last label, else 0. Default: all are labels. */
  readonly labelPaddings?: Tensor
  /** The class that stands for no label. Default: 0. */
  readonly blankId?: number
  /** What the logarithm of 0 is replaced by. Default: -1e5. */
  readonly logEpsilon?: number
}

const names: OptionTable<CtcOptions> = {
  logitPaddings: 'optional',
  labelPaddings: 'optional',
  blankId: 'optional',
  logEpsilon: 'optional',
  ...lossNames,
}

/**
 * Connectionist temporal classification: minus the logarithm of the probability of all ways in which the frames of a sequence
 * may say its labels, blanks and repetitions between them left out.
 *
 * Shape     logits [batch, steps, classes], labels [batch, labels] -> [batch].
 * Dtype     logits a float, labels int32 or uint32; paddings are cast to the dtype of the logits.
 * Rounding  `logSoftmax`, then one product or `logAddExp` at a time, step by step; nothing is summed but by `logAddExp`.
 * Special   a sequence too short for its labels costs about -logEpsilon. float16 cannot hold the default logEpsilon: cast first,
 *           or `{ internal: 'float32' }`.
 * Error     float32: some 4 steps u times the loss.
 * Cost      steps times labels, a few operations each; gradients through all of them.
 * Source    Connectionist temporal classification, ICML 2006, doi:10.1145/1143844.1143891
 *
 * @example ctcLoss(tensor([[[0, 0], [0, 0]]]), tensor([[1]], { dtype: 'int32' })).toNested() // [0.28768208622932434]
 */
export function ctcLoss<D extends DType>(
  logits: Tensor<D>,
  labels: Tensor<'int32'> | Tensor<'uint32'>,
  options: CtcOptions = noOptions,
): Tensor<D> {
  checkOptions('ctcLoss', options, names)
  const { blankId = 0, logEpsilon = -1e5, internal, logitPaddings, labelPaddings } = options
  checkFloat('ctcLoss', logits)
  checkTensor('ctcLoss', labels)
  if (logits.rank !== 3 || labels.rank !== 2 || logits.shape[0] !== labels.shape[0]) {
    throw new RangeError(
      `ctcLoss: logits and labels are not [batch, steps, classes] and [batch, labels] [${logits.shape.join(', ')} and ${labels.shape.join(', ')}]`,
    )
  }
  const [batch, steps, classes] = logits.shape as [number, number, number]
  checkInteger('ctcLoss', 'blankId', blankId, 0, classes - 1)
  checkNumber('ctcLoss', 'logEpsilon', logEpsilon)
  checkLabels(labels, classes)
  const ended = paddings('logitPaddings', logitPaddings, [batch, steps])
  const unsaid = paddings('labelPaddings', labelPaddings, [batch, labels.shape[1]!])
  return inside('ctcLoss', [logits], internal, (x) =>
    forward(x!, labels, { ended, unsaid, blankId, logEpsilon }),
  )
}

interface Forward {
  readonly ended: readonly (readonly number[])[]
  readonly unsaid: readonly (readonly number[])[]
  readonly blankId: number
  readonly logEpsilon: number
}

/**
 * The forward variables in logarithms: blank[n], the frames so far say n labels and end in a blank (or begin); said[n], they
 * end in label n. They move on by one frame at a time; a sequence that has ended keeps its own.
 */
function forward(x: Tensor, labels: Tensor, { ended, unsaid, blankId, logEpsilon }: Forward): Tensor {
  const [batch, steps] = x.shape as [number, number]
  const count = labels.shape[1]!
  const { dtype } = x
  const constant = (rows: readonly (readonly number[])[]): Tensor =>
    tensor(rows.flat(), { shape: [batch, rows[0]?.length ?? 0], dtype })
  const lengths = unsaid.map((row) => count - row.reduce((n, padding) => n + padding, 0))
  const ids = labels.toNested() as number[][]
  // Two equal labels in a row need a blank between them: the way without one costs the logarithm of nothing.
  const repeats = ids.map((row) => row.map((id, n) => (n + 1 < count && id === row[n + 1] ? 1 : 0)))
  const fromSaid = constant(repeats.map((row) => row.map((repeat) => logEpsilon * repeat)))
  const fromBlank = constant(repeats.map((row) => row.map((repeat) => logEpsilon * (1 - repeat))))
  const classes = cast(labels, 'int32')
  const logProbabilities = logSoftmax(x)
  const joined = (blank: Tensor, added: Tensor): Tensor =>
    concat([slice(blank, [null, [0, 1]]), logAddExp(slice(blank, [null, [1, null]]), added)], { axis: 1 })
  let blank = constant(ids.map(() => [0, ...Array.from({ length: count }, () => logEpsilon)]))
  let said = constant(ids.map((row) => row.map(() => logEpsilon)))
  for (let t = 0; t < steps; t++) {
    const frame = slice(logProbabilities, [null, t])
    const emit = takeAlongAxis(frame, classes)
    const none = slice(frame, [null, [blankId, blankId + 1]])
    const before = joined(blank, add(said, fromSaid))
    const nextSaid = logAddExp(add(slice(before, [null, [0, -1]]), emit), add(said, emit))
    const nextBlank = joined(add(before, none), add(add(said, none), fromBlank))
    const over = equal(constant(ended.map((row) => [row[t]!])), 1)
    said = where(over, said, nextSaid)
    blank = where(over, blank, nextBlank)
  }
  const last = joined(blank, said)
  const places = tensor(lengths, { shape: [batch, 1], dtype: 'int32' })
  return neg(reshape(takeAlongAxis(last, places), [batch]))
}

function paddings(name: string, given: Tensor | undefined, shape: readonly number[]): number[][] {
  const [rows, columns] = shape as [number, number]
  if (given === undefined) return Array.from({ length: rows }, () => Array.from({ length: columns }, () => 0))
  checkTensor('ctcLoss', given)
  if (given.shape.join() !== shape.join()) {
    throw new RangeError(
      `ctcLoss: ${name} has another shape [${shape.join(', ')} and ${given.shape.join(', ')}]`,
    )
  }
  const values = given.toNumbers()
  return Array.from({ length: rows }, (_, row) => {
    const lane = Array.from(values.subarray(row * columns, (row + 1) * columns))
    const wrong = lane.find((value, i) => (value !== 0 && value !== 1) || (i > 0 && value < lane[i - 1]!))
    if (wrong !== undefined) {
      throw new RangeError(`ctcLoss: ${name} is not zeros followed by ones [${lane.join(', ')}]`)
    }
    return lane
  })
}

function checkLabels(labels: Tensor, classes: number): void {
  if (labels.dtype !== 'int32' && labels.dtype !== 'uint32') {
    throw new TypeError(`ctcLoss: the labels are not int32 or uint32 [${labels.dtype}]`)
  }
  const outside = labels.toNumbers().find((label) => label < 0 || label >= classes)
  if (outside !== undefined) {
    throw new RangeError(`ctcLoss: a label is outside ${classes} classes [${outside}]`)
  }
}
