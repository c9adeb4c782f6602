import { mean, mul, optimizer as o, square, sub, type Tensor, tensor } from 'tpu-toolkit'
import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { shadow, shadowTrainStep } from 'tpu-toolkit/precision'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, test } from 'vitest'

const dtype = 'bfloat16'
const params = { w: tensor([1, 3, 300], { dtype }) }
const loss = ({ w }: { w: Tensor }): Tensor => mean(square(sub(mul(w, 0.5), 1)))

describe('the precision doctor', () => {
  test('sees into an update: the parameters that it leaves as they were, and the constants that are others in bfloat16', () => {
    const adam = o.adam({ learningRate: 1e-3 })
    const step = o.makeTrainStep(valueAndGrad(loss), adam)
    const report = shadowTrainStep(step, [{ params, state: adam.init(params) }])
    const [w] = report.updates
    // Adam's first step is the learning rate: 0.001 is under half an ulp of 1 (0.0039), of 3 and of 300.
    expect(w!.unchanged).toBe(3)
    const told = report.constants.map(({ text }) => text).join('\n')
    expect(told).toContain('0.999, which is 1 in bfloat16')
    expect(told).toContain('0.001')
  })

  test('shadows an update by itself: its operations are those that ran, and their results the update', () => {
    const adam = o.scaleByAdam()
    const state = adam.init(params)
    const f = ([g]: readonly Tensor[]): readonly Tensor[] => leavesOf(adam.update({ w: g! }, state)[0])
    const seen = shadow(f, [tensor([0.1, -3, 7], { dtype })])
    const ops = seen.program.steps.map(({ op }) => op.name)
    expect(ops).toContain('sqrt')
    expect(ops.at(-1)).toBe('div')
  })
})
