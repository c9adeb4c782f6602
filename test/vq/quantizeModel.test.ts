import { decodeSafetensors, encodeSafetensors } from 'tpu-toolkit/files'
import { key, normal } from 'tpu-toolkit/random'
import { cast, matmul, mul, square, sub, sum, type Tensor, tensor, zeros } from 'tpu-toolkit/tensor'
import { codeTensor, decodeTensor, loadCodes, quantizeModel, storeCodes } from 'tpu-toolkit/vq'
import { describe, expect, it } from 'vitest'

const draw = (seed: number, shape: readonly number[], scale = 1): Tensor<'float32'> =>
  mul(
    tensor(
      normal(
        key(seed),
        shape.reduce((a, b) => a * b, 1),
      ),
      { shape },
    ),
    scale,
  )

const params = {
  layers: [{ kernel: draw(1, [48, 64], 0.1), bias: draw(2, [64]) }, { kernel: draw(3, [64, 32], 3) }],
  out: cast(draw(4, [32, 8]), 'bfloat16'),
}
const errorOf = (a: Tensor, b: Tensor): number =>
  sum(square(sub(cast(a, 'float64'), cast(b, 'float64')))).item() / sum(square(cast(b, 'float64'))).item()

describe('quantizeModel', () => {
  const model = quantizeModel(params, { bits: 4.5, vectorLength: [1, 2], codebookSize: 16, iterations: 5 })

  it('keeps the budget, the dtypes and what has one axis', () => {
    const metrics = model.metrics()
    expect(metrics.bitsPerValue).toBeLessThanOrEqual(4.5)
    expect(metrics.values).toBe(48 * 64 + 64 * 32 + 32 * 8)
    expect(metrics.keptValues).toBe(64)
    expect(model.params.layers[0]!.bias).toBe(params.layers[0]!.bias)
    expect(model.params.out.dtype).toBe('bfloat16')
    expect([metrics.task, metrics.reached, metrics.outputSqnr, metrics.notMeasured]).toEqual([
      null,
      null,
      null,
      'speed',
    ])
    expect(metrics.flopsPerRow).toBe(2 * metrics.values)
    expect(metrics.bytesBefore).toBe(4 * (48 * 64 + 64 * 32 + 64) + 2 * 32 * 8)
    expect(metrics.compression).toBe(metrics.bytesBefore / metrics.bytesAfter)
  })

  it('states of every layer what its parameters say', () => {
    const chosen = model.layers.filter((row) => row.chosen)
    expect(chosen.map(({ path }) => path)).toEqual(['layers.0.kernel', 'layers.1.kernel', 'out'])
    const given = [model.params.layers[0]!.kernel, model.params.layers[1]!.kernel, model.params.out]
    const exact = [params.layers[0]!.kernel, params.layers[1]!.kernel, params.out]
    chosen.forEach(({ sqnr }, i) => {
      expect(sqnr).toBeCloseTo(-10 * Math.log10(errorOf(given[i]!, exact[i]!)), 9)
    })
  })

  it('counts bits of int4 with its scales, and of a codebook with its table', () => {
    const of = (way: string) => model.layers.find((row) => row.way === way)!
    expect(of('int4 per channel').bitsPerValue).toBe(4 + 32 / 48)
    expect(of('vq 2 x 16').bitsPerValue).toBe(2 + (16 * 2 * 16) / (48 * 64))
    expect(of('mxfp4').bitsPerValue).toBe(4 + 8 / 32)
    expect(of('bfloat16').bitsPerValue).toBe(16)
  })

  it('chooses at least as well as any one way that fits the budget', () => {
    const [chosen, ...ways] = model.totals
    for (const { bitsPerValue } of ways.filter(({ way }) => way === 'vq 1 x 16')) {
      expect(bitsPerValue).toBeLessThanOrEqual(4.5)
    }
    expect(chosen!.way).toBe('chosen')
    const noise = (choice: (row: (typeof model.layers)[number]) => boolean): number =>
      model.layers.filter(choice).reduce((total, { sqnr }) => total + 10 ** (-sqnr / 10), 0)
    expect(noise((row) => row.chosen)).toBeLessThanOrEqual(noise((row) => row.way === 'vq 1 x 16'))
  })

  it('has codes that decode to its parameters', () => {
    for (const [path, coded] of Object.entries(model.coded)) {
      const leaf = {
        'layers.0.kernel': model.params.layers[0]!.kernel,
        'layers.1.kernel': model.params.layers[1]!.kernel,
        out: model.params.out,
      }[path]!
      expect(decodeTensor(coded).toBits()).toEqual(leaf.toBits())
    }
  })

  it('weighs errors by calibration inputs: less error where inputs are large', () => {
    const w = draw(5, [32, 32])
    // One input in four is a hundred times the others.
    const inputs = mul(
      draw(6, [64, 32]),
      tensor(Array.from({ length: 32 }, (_, i) => (i % 4 === 0 ? 100 : 1))),
    )
    const how = { bits: 3, vectorLength: 2, codebookSize: 16, allow: [] } as const
    const plain = quantizeModel({ w }, how).params.w
    const weighed = quantizeModel({ w }, { ...how, calibration: { w: inputs } })
    const outputError = (given: Tensor): number =>
      errorOf(matmul(inputs, cast(given, 'float32')), matmul(inputs, w))
    expect(outputError(weighed.params.w)).toBeLessThan(0.8 * outputError(plain))
    expect(weighed.metrics().outputSqnr).toBeCloseTo(-10 * Math.log10(outputError(weighed.params.w)), 3)
  })

  it('takes the fewest bits that keep the asked share of the task, and says so where none do', () => {
    const task = (p: typeof params): number => 1 - 10 * errorOf(p.layers[0]!.kernel, params.layers[0]!.kernel)
    const options = { vectorLength: [1, 2], codebookSize: 16, iterations: 5, task }
    const few = quantizeModel(params, { ...options, targetRetention: 0.5 })
    const many = quantizeModel(params, { ...options, targetRetention: 0.99 })
    expect(few.metrics().reached).toBe(true)
    expect(many.metrics().task!.retention).toBeGreaterThanOrEqual(0.99)
    expect(few.metrics().bitsPerValue).toBeLessThan(many.metrics().bitsPerValue)
    const never = quantizeModel(params, { ...options, bits: 3, targetRetention: 0.9999 })
    expect(never.metrics().reached).toBe(false)
    expect(never.totals[0]!.retention).toBe(never.metrics().task!.retention)
    const loss = quantizeModel(params, { ...options, bits: 5, better: 'lower', task: (p) => 2 - task(p) })
    expect(loss.metrics().task!.retention).toBeLessThan(1)
  })

  it.each([
    [
      'no weights',
      () => quantizeModel({ b: zeros([3]) }),
      'no float tensor of two axes to quantise [1 tensors]',
    ],
    ['NaN', () => quantizeModel({ w: tensor([[1, Number.NaN]]) }), 'row 0 of w is not finite [NaN]'],
    [
      'calibration of nothing',
      () => quantizeModel({ w: zeros([2, 2]) }, { calibration: { v: zeros([1, 2]) } }),
      'calibration of no layer that is quantised [v]',
    ],
    [
      'calibration of other sizes',
      () => quantizeModel({ w: zeros([2, 3]) }, { calibration: { w: zeros([4, 3]) } }),
      'calibration of w is not [samples, 2] [4, 3]',
    ],
    [
      'a target of no task',
      () => quantizeModel({ w: zeros([2, 3]) }, { targetRetention: 1 }),
      'a targetRetention of no task, give one [1]',
    ],
    [
      'too few bits',
      () => quantizeModel(params, { bits: 0.1, vectorLength: 2, codebookSize: 16 }),
      'the cheapest ways take more than 0.1 bits a value [2.286]',
    ],
    [
      'an unknown way',
      () => quantizeModel(params, { allow: ['int5'] }),
      'unknown way, there are int4 per channel, mxfp4',
    ],
  ])('refuses %s', (_, call, message) => {
    expect(call).toThrow(`quantizeModel: ${message}`)
  })
})

describe('storeCodes', () => {
  const w = draw(7, [7, 9])
  const coded = codeTensor(w, cast(draw(8, [5, 4]), 'bfloat16'))

  it('comes back through a safetensors file and loadCodes, bit for bit', () => {
    const stored = storeCodes({ w: coded, b: params.layers[0]!.bias! })
    const file = decodeSafetensors(encodeSafetensors(stored.tensors, { metadata: stored.metadata }))
    const { w: again, b } = loadCodes(file) as unknown as { w: typeof coded; b: Tensor }
    expect(again.codes.data).toEqual(coded.codes.data)
    expect(again.codebook.toBits()).toEqual(coded.codebook.toBits())
    expect(decodeTensor(again).toBits()).toEqual(decodeTensor(coded).toBits())
    expect(b.toBits()).toEqual(params.layers[0]!.bias!.toBits())
    // 16 vectors of 3 bits each.
    expect(stored.tensors['w.codes']!.size).toBe(2)
  })

  it.each([
    [
      'other files',
      () => loadCodes({ tensors: {}, metadata: {} }),
      'loadCodes: metadata have no vq.coded [none]',
    ],
    [
      'a file without its codes',
      () => loadCodes({ ...storeCodes({ w: coded }), tensors: {} }),
      'loadCodes: a tensor is missing [w.codebook]',
    ],
    [
      'two of one name',
      () => storeCodes({ w: coded, 'w.codes': w }),
      'storeCodes: two tensors of one name [w.codes]',
    ],
    [
      'broken metadata',
      () => loadCodes({ tensors: {}, metadata: { 'vq.coded': '{' } }),
      'loadCodes: vq.coded is no JSON [{]',
    ],
    [
      'too few codes',
      () => decodeTensor({ ...coded, shape: [100] }),
      'decodeTensor: 25 vectors of 4 numbers have as many codes [16]',
    ],
  ])('refuses %s', (_, call, message) => {
    expect(call).toThrow(message)
  })
})
