import { grad, graphOf, record } from 'tpu-toolkit/autodiff'
import { placesRead, reads, square, sum, take, tensor } from 'tpu-toolkit/tensor'
import { expect, it } from 'vitest'

it.each([
  // Which elements of the cotangent each element of x gets, in the order of reading.
  { indices: [2, 0, 2, 2, 4, 0], added: [[1, 5], [], [0, 2, 3], [], [4]] },
  { indices: [4, 3, 2, 1, 0], added: [[4], [3], [2], [1], [0]] },
  { indices: [1, 1], added: [[], [0, 1], [], [], []] },
])('grad of take at $indices: scatter says which elements it adds', ({ indices, added }) => {
  const x = record(tensor([1, 2, 3, 4, 5]))
  const nodes = graphOf(grad((v) => sum(square(take(v, indices))))(x))
  const { record: op, attributes, inputs, output } = nodes.find((node) => node.op === 'scatter')!
  const [g] = inputs.map((input) => (typeof input === 'number' ? nodes[input]!.output : input))
  const [read] = reads(op, attributes, [g!.shape], output.shape)
  expect(added.map((_, element) => placesRead(read!, element))).toEqual(added)
  expect(output.toNested()).toEqual(added.map((elements, i) => 2 * (i + 1) * elements.length))
})
