import { valueAndGrad } from 'tpu-toolkit/autodiff'
import * as optimizer from 'tpu-toolkit/optimizer'
import {
  add,
  matmul,
  mul,
  reshape,
  square,
  sub,
  sum,
  type Tensor,
  take,
  tensor,
  transpose,
} from 'tpu-toolkit/tensor'
import { leavesOf, type Treelike } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'

describe('optimizers that need more than gradients', () => {
  const params = { a: tensor([1, 2]) }
  it('say what is missing', () => {
    const { sam, sgd, scaleByPolyak, reduceOnPlateau } = optimizer
    const opaque = sam(sgd({ learningRate: 1 }), optimizer.normalize(), { opaqueMode: true })
    expect(() => opaque.update(params, opaque.init(params), params)).toThrow(
      'sam: opaque mode needs { gradFn }',
    )
    expect(() => scaleByPolyak().update(params, {})).toThrow(
      'scaleByPolyak: update needs the loss, { value }',
    )
    const plateau = reduceOnPlateau()
    expect(() => plateau.update(params, plateau.init(params), params, { value: params.a })).toThrow(
      'reduceOnPlateau: the loss is no number and no scalar [float32, 2]',
    )
    const estimator = optimizer.hutchinsonEstimatorDiagHessian({ key: 1 })
    expect(() => estimator.update(params, estimator.init(params), params)).toThrow(
      'hutchinsonEstimatorDiagHessian: update needs { valueFn }',
    )
    const free = optimizer.scheduleFreeSgd({ learningRate: 1 })
    expect(() => free.update(params, free.init(params))).toThrow('scheduleFree: update needs the parameters')
    const aggregate = optimizer.differentiallyPrivateAggregate({ l2NormClip: 1, noiseMultiplier: 0, key: 0 })
    expect(() => aggregate.update({ a: tensor([[1], [2]]), b: tensor([1]) }, aggregate.init(params))).toThrow(
      'differentiallyPrivateAggregate: no axis of 2 examples first at b [1]',
    )
  })
  it('makeTrainStep gives polyakSgd the loss: it solves a parabola whose minimum it knows', () => {
    const { makeTrainStep, polyakSgd } = optimizer
    const loss = (p: typeof params): Tensor => sum(square(p.a))
    const solver = polyakSgd()
    const step = makeTrainStep(valueAndGrad(loss), solver)
    let point = { params, state: solver.init(params) }
    for (let i = 0; i < 20; i++) point = step(point)
    expect(loss(point.params).item()).toBeLessThan(1e-9)
  })
  it.each([
    ['the zoom line search', {}],
    ['backtracking', { linesearch: optimizer.scaleByBacktrackingLinesearch({ maxBacktrackingSteps: 20 }) }],
  ])('lbfgs with %s reaches the bottom of a long valley', (_, options) => {
    const solver = optimizer.lbfgs(options)
    // Convex, a hundred times as steep along one axis; its minimum, 0, is at [1, 1].
    const loss = (p: typeof params): Tensor => {
      const apart = sub(p.a, 1)
      return sum(mul(add(square(apart), square(square(apart))), tensor([1, 100])))
    }
    const extra = { valueFn: (p: Treelike): Tensor => loss(p as typeof params) }
    const step = optimizer.makeTrainStep(valueAndGrad(loss), solver, { extra })
    let point = { params: { a: tensor([-1.2, 2]) }, state: solver.init(params) }
    for (let i = 0; i < 60; i++) point = step(point)
    expect(loss(point.params).item()).toBeLessThan(1e-6)
    expect(() => solver.update(params, solver.init(params), params, { value: 1 })).toThrow(
      'update needs { value, grad, valueFn }',
    )
  })
  it('a line search whose every try is NaN does not move', () => {
    const valueFn = (p: Treelike): Tensor => mul(sum(leavesOf(p)[0]!), Number.NaN)
    const extra = { value: 1, grad: params, valueFn }
    const search = optimizer.scaleByBacktrackingLinesearch({ maxBacktrackingSteps: 3 })
    const [updates, state] = search.update(params, search.init(params), params, extra)
    expect([updates.a.toNested(), state.numLinesearchSteps]).toEqual([[0, 0], 4])
    const zoom = optimizer.scaleByZoomLinesearch({ maxLinesearchSteps: 4 })
    const [still, next] = zoom.update(params, zoom.init(params), params, extra)
    expect([still.a.toNested(), next.numLinesearchSteps]).toEqual([[0, 0], 4])
    expect(next.decreaseError.item()).toBe(Number.POSITIVE_INFINITY)
  })
  const { dog, dowg, cocob, dadaptAdamw, momo, momoAdam } = optimizer
  it.each(Object.entries({ dog, dowg, cocob, dadaptAdamw, momo, momoAdam }))(
    '%s goes down a parabola without a rate, and says what it lacks',
    (_, make) => {
      const loss = (p: typeof params): Tensor => sum(square(sub(p.a, tensor([3, -1]))))
      const solver: optimizer.GradientTransformation = make()
      const step = optimizer.makeTrainStep(valueAndGrad(loss), solver)
      let point = { params, state: solver.init(params) }
      for (let i = 0; i < 150; i++) point = step(point)
      expect(loss(point.params).item()).toBeLessThan(loss(params).item())
      expect(() => solver.update(params, solver.init(params))).toThrow('update needs the parameters')
    },
  )
  it('muon finds matrices in leaves of more axes, and says which leaf has none', () => {
    const kernel = tensor(
      Array.from({ length: 24 }, (_, i) => ((7 * i) % 11) - 5),
      { shape: [2, 3, 4] },
    )
    const byHead = optimizer.scaleByMuon({ weightDimensionNumbers: { reductionAxis: 1, outputAxis: [2] } })
    const [u] = byHead.update({ kernel }, byHead.init({ kernel }))
    const one = optimizer.scaleByMuon()
    for (const head of [0, 1]) {
      const matrix = { m: take(kernel, [head], { axis: 0 }) }
      const alone = { m: reshape(matrix.m, [3, 4]) }
      const [expected] = one.update(alone, one.init(alone))
      expect(reshape(take(u.kernel, [head], { axis: 0 }), [3, 4]).toBits()).toEqual(expected.m.toBits())
    }
    const twice = optimizer.scaleByMuon({ weightDimensionNumbers: { reductionAxis: 1, outputAxis: -2 } })
    expect(() => twice.update({ kernel }, twice.init({ kernel }))).toThrow(
      'scaleByMuon: an axis is named twice [1 and 1 of 2, 3, 4]',
    )
    const none = optimizer.scaleByShape({ weightDimensionNumbers: { reductionAxis: 3, outputAxis: 0 } })
    expect(() => none.update({ kernel }, {})).toThrow('scaleByShape: a leaf has no such axis [3 of 2, 3, 4]')
  })
  it.each(['bfloat16', 'float16'] as const)('addNoise keeps updates of %s in it', (dtype) => {
    const noisy = optimizer.addNoise({ eta: 0.01, gamma: 0.55, key: 3 })
    const grads = { w: tensor([1, 2], { dtype }) }
    expect(noisy.update(grads, noisy.init(grads))[0].w.dtype).toBe(dtype)
  })
  it('the estimate of Hutchinson is the diagonal where the Hessian is diagonal', () => {
    const estimator = optimizer.hutchinsonEstimatorDiagHessian({ key: 3 })
    const valueFn = (p: Treelike): Tensor => sum(mul(square(leavesOf(p)[0]!), tensor([0.5, 3])))
    const [diagonal] = estimator.update(params, estimator.init(params), params, { valueFn })
    expect(diagonal.a.toNested()).toEqual([1, 6])
  })
  it('scheduleFreeEvalParams is the weighted mean of the points of the inner optimizer', () => {
    const free = optimizer.scheduleFreeSgd({ learningRate: 0.25 })
    let point = { params, state: free.init(params) }
    const seen: number[] = []
    for (let i = 0; i < 8; i++) {
      point = optimizer.applyGradients(free, point.params, point)
      seen.push(leavesOf(point.state.z)[0]!.toNumbers()[0]!)
    }
    const mean = seen.reduce((total, z) => total + z) / seen.length
    const kept = optimizer.scheduleFreeEvalParams(point.state, point.params).a.toNumbers()[0]!
    // Eight steps of some ten roundings of numbers up to 1.
    expect(Math.abs(kept - mean)).toBeLessThanOrEqual(80 * 2 ** -24)
    expect(() => optimizer.scheduleFreeEvalParams({} as typeof point.state, params)).toThrow(
      'scheduleFreeEvalParams: the state is not that of scheduleFree',
    )
  })
  it('muon brings the singular values of every update near 1, and leaves vectors to Adam', () => {
    const w = tensor([
      [3, 1, 0],
      [0, 2, 1],
    ])
    const shaped = optimizer.scaleByMuon()
    const [u] = shaped.update({ w }, shaped.init({ w }))
    const gram = matmul(u.w, transpose(u.w)).toNumbers()
    const [a, b, d] = [gram[0]!, gram[1]!, gram[3]!]
    const root = Math.sqrt(((a - d) / 2) ** 2 + b * b)
    // The published coefficients bring singular values between 0.68 and 1.14.
    for (const value of [(a + d) / 2 + root, (a + d) / 2 - root]) {
      expect(Math.sqrt(value)).toBeGreaterThan(0.68)
      expect(Math.sqrt(value)).toBeLessThan(1.14)
    }
    expect(() => shaped.update(params, shaped.init(params))).toThrow(
      'scaleByMuon: a leaf is no matrix, mask it [2]',
    )
    const both = optimizer.muon({ learningRate: 0.1 })
    const state = both.init({ w, b: tensor([1]) })
    expect(leavesOf(optimizer.stateToTree(state['adam']!)).map((x) => x.shape)).toEqual([[], [1], [1]])
  })
})
