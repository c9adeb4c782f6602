import {
  add,
  apply,
  cast,
  cumsum,
  matmul,
  type Op,
  reshape,
  type Tensor,
  tensor,
  withTrace,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const leaf: Op = { name: 'leaf', kernel: ([x]) => x! }
const watched = (x: Tensor): Tensor => withTrace(x, leaf, [], undefined)

describe('apply', () => {
  it('records nothing while no input carries a trace', () => {
    expect(add(tensor([1]), 2).trace).toBeUndefined()
  })

  it('records the operation, its inputs and attributes once an input carries a trace', () => {
    const x = watched(tensor([1, 2]))
    const y = cumsum(add(x, 2), { accumulate: 'float64' })
    expect(y.trace!.op.name).toBe('cumsum')
    expect(y.trace!.attributes).toMatchObject({
      axis: 0,
      how: { accumulate: 'float64', order: 'sequential' },
    })
    expect(y.trace!.inputs[0]!.trace!.inputs[0]).toBe(x)
    expect(y.trace!.inputs[0]!.trace!.inputs[1]!.item()).toBe(2)
  })

  it('a recorded operation runs again from its record, in another dtype too', () => {
    const x = watched(tensor([[1, 2]]))
    const y = matmul(x, tensor([[3], [4]]))
    const { op, inputs, attributes } = y.trace!
    expect(op.kernel(inputs, attributes).toNested()).toEqual([[11]])
    const wide = inputs.map((input) => cast(input, 'float64'))
    expect(op.kernel(wide, attributes).dtype).toBe('float64')
  })

  it('every composite leads back to its leaves through traces', () => {
    const x = watched(tensor([1, 2, 3, 4]))
    const y = matmul(reshape(x, [2, 2]), tensor([1, 1]))
    const leaves = new Set<Tensor>()
    const visit = (t: Tensor): void => {
      if (t.trace?.op === leaf) leaves.add(t)
      t.trace?.inputs.forEach(visit)
    }
    visit(y)
    expect([...leaves]).toEqual([x])
  })

  it('refuses out under a trace', () => {
    const x = watched(tensor([1]))
    expect(() => add(x, 1, { out: tensor([0]) })).toThrow(
      new RangeError(
        'add: out cannot be recorded, leave it off under a gradient and where it is compiled [out]',
      ),
    )
  })

  it('numbers what it records in the order of running, also where no value passes from one to the next', () => {
    const [x, y] = [watched(tensor([1])), watched(tensor([2]))]
    const traces = [x, y, add(y, 1), add(x, 1), add(y, x)].map(({ trace }) => trace!.serial)
    expect(traces).toEqual([...traces].sort((a, b) => a - b))
    expect(new Set(traces).size).toBe(5)
  })

  it('runs an operation record of a user', () => {
    const double: Op = { name: 'double', kernel: ([x]) => add(x!, x!) }
    const y = apply(double, [watched(tensor([3]))], undefined)
    expect(y.item()).toBe(6)
    expect(y.trace!.op).toBe(double)
  })
})

describe('withTrace', () => {
  it('gives the same elements, recorded as the result of an operation', () => {
    const x = tensor([1, 2], { dtype: 'bfloat16' })
    const y = withTrace(x, leaf, [x], { from: 'a test' })
    expect(y.data).toBe(x.data)
    expect(y.trace).toMatchObject({ op: leaf, inputs: [x], attributes: { from: 'a test' } })
    expect(x.trace).toBeUndefined()
  })
})
