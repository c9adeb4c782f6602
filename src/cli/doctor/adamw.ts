import { add, div, mul, slice, sqrt, sub, type Tensor } from '../../tensors/tensor/index.js'

/** Parameters and moments before the first step, and one row of gradients a step. */
export interface AdamwRun {
  readonly [name: string]: Tensor
  readonly w: Tensor
  readonly m: Tensor
  readonly v: Tensor
  readonly g: Tensor
}

const [lr, b1, b2, eps, wd] = [0.01, 0.9, 0.95, 1e-8, 1e-4]

/** The operations of a step in the order in which `adamwSteps` calls them. */
const stages = [
  'row of g',
  'b1 m',
  '(1 - b1) g',
  'm',
  'b2 v',
  'g g',
  '(1 - b2) g g',
  'v',
  'm / c1',
  'v / c2',
  'root',
  'root + eps',
  'direction',
  'wd w',
  'direction + wd w',
  'lr times it',
  'w',
]

/** What a step of the recording is a stage of. */
export function adamwStageOf(step: number): string {
  return stages[step % stages.length]!
}

/** AdamW as the paper writes it, every operation rounding to the dtype of the parameters; the parameters at the end. */
export function adamwSteps({ w: start, m: first, v: second, g }: AdamwRun): Tensor {
  let [w, m, v] = [start, first, second]
  for (let t = 1; t <= g.shape[0]!; t++) {
    const row = slice(g, [t - 1])
    const kept = mul(m, b1)
    m = add(kept, mul(row, 1 - b1))
    const keptSquares = mul(v, b2)
    v = add(keptSquares, mul(mul(row, row), 1 - b2))
    const mean = div(m, 1 - b1 ** t)
    const root = sqrt(div(v, 1 - b2 ** t))
    const direction = div(mean, add(root, eps))
    w = sub(w, mul(add(direction, mul(w, wd)), lr))
  }
  return w
}
