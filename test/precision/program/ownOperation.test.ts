import { findFirstNonFinite, type GradientRule, grad, record } from 'tpu-toolkit/autodiff'
import { certify, kindOf, shadow, significantBits } from 'tpu-toolkit/precision'
import { key } from 'tpu-toolkit/random'
import {
  apply,
  div,
  flip,
  mul,
  type Op,
  ops,
  type Reads,
  sqrt,
  sub,
  sum,
  type Tensor,
  tensor,
} from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

/** Shares of a total: says nothing of itself. */
const share: Op = { name: 'share', kernel: ([x]) => div(x!, sum(x!)) }
/** x / (x - its mirror image): says by its own `reads` that an element reads itself and its image. */
const pairs: Op = {
  name: 'pairs',
  kernel: ([x]) => div(x!, sub(x!, flip(x!))),
  reads: (_, shapes): readonly Reads[] => {
    const size = shapes[0]![0]!
    const at = Int32Array.from({ length: 2 * size }, (_, i) => (i % 2 === 0 ? i >> 1 : size - 1 - (i >> 1)))
    return [{ at, from: (element) => 2 * element, count: () => 2 }]
  },
}
const root: Op = { name: 'root', form: 'elementwise', rounds: 'once', kernel: ([x]) => sqrt(x!) }
const turned: Op = { name: 'turned', form: 'view', rounds: 'never', kernel: ([x]) => flip(x!) }
/** Calls itself by a name of tensor's, and is another operation. */
const impostor: Op = { name: 'mul', form: 'elementwise', kernel: ([x]) => sqrt(x!) }

const run =
  (op: Op) =>
  (x: Tensor): Tensor =>
    apply(op, [x], undefined)
const bfloat16 = (values: number[]): Tensor => tensor(values, { dtype: 'bfloat16' })
const x = bfloat16([1, 2, 4, 3.5])

describe('an operation of the user', () => {
  it('that says nothing reads everything; one that says what it reads, that', () => {
    const event = (op: Op, values: number[]) => findFirstNonFinite(run(op)(record(tensor(values))))!
    expect(event(share, [0, 1, -1])).toMatchObject({
      op: 'share',
      kind: 'operation',
      counts: [3],
      operands: [[0, 1, -1]],
    })
    expect(event(pairs, [0, 1, 1, 0])).toMatchObject({ counts: [2], operands: [[0, 0]] })
    expect(event(root, [4, -1])).toMatchObject({ kind: 'outside the domain', at: [1], operands: [[-1]] })
    expect(event(impostor, [4, -1])).toMatchObject({ op: 'mul', kind: 'outside the domain' })
  })

  it('that moves is looked through: the history goes on behind it, exactly', () => {
    const moved = run(turned)(mul(record(tensor([1e-30, 1])), 1e-30))
    const { history } = findFirstNonFinite(div(1, moved))!
    expect(history.map(({ op, how }) => [op, how])).toEqual([
      ['turned', 'passed'],
      ['mul', 'rounded to zero'],
    ])
  })

  it('rounds once in shadow unless it says otherwise, and its error is found', () => {
    expect([share, root, turned].map(kindOf)).toEqual(['rounds', 'rounds', 'moves'])
    for (const op of [share, root]) {
      const { computed, reference } = shadow(run(op), x).errors(0)
      expect(computed).toEqual(bfloat16([...reference]).toNumbers())
      expect(reference.some((exact, i) => exact !== computed[i])).toBe(true)
    }
    const still = shadow(run(turned), x).errors(0)
    expect(still.computed).toEqual(still.reference)
  })

  it('has no bound in certify until a rule brings one, but where it moves', () => {
    const bounds = (f: (v: Tensor) => Tensor, rules = new Map()) =>
      certify(f, x, { rules }).bounds[0]!.toNumbers()
    expect([...bounds(run(share))]).toEqual(Array(4).fill(Infinity))
    expect([...bounds(run(turned))]).toEqual([0, 0, 0, 0])
    // What moves carries the bounds of what it read along.
    const third = (v: Tensor): Tensor => div(v, 3)
    expect([...bounds((v) => run(turned)(third(v)))]).toEqual([...bounds(third)].reverse())
  })

  it('is rounded at random once in significantBits; one that moves is not', () => {
    const bits = (op: Op): Float64Array =>
      significantBits(run(op), x, { key: key(1) }).outputs[0]!.plain.toNumbers()
    expect(bits(share).every((b) => b > 5 && b < 12)).toBe(true)
    expect([...bits(root)].filter((b) => b > 12).length).toBe(2)
    expect(bits(turned).every((b) => b > 12)).toBe(true)
  })

  it('has the gradient that its rule says, and none without', () => {
    const rule: GradientRule = ({ g, output }) => [div(g, mul(2, output))]
    const f = (v: Tensor): Tensor => sum(run(root)(v))
    expect(grad(f, { rules: new Map([[root, rule]]) })(tensor([4, 16])).toNested()).toEqual([0.25, 0.125])
    expect(() => grad(f)(tensor([4]))).toThrow('no gradient rule')
    // The name alone is not the operation.
    expect(() => grad((v: Tensor) => sum(run(impostor)(v)))(tensor([4]))).toThrow('no gradient rule')
    expect(impostor.name).toBe(ops.mul.name)
  })
})
