import fc from 'fast-check'
import { optimizer as o, tree } from 'tpu-toolkit'
import { grad, valueAndGrad, vmap } from 'tpu-toolkit/autodiff'
import { decodeSafetensors, encodeSafetensors } from 'tpu-toolkit/files'
import { bits, foldIn, key, normal, split } from 'tpu-toolkit/random'
import { fromBlockwise, toBlockwise } from 'tpu-toolkit/storage'
import { add, cast, mul, square, stack, sum, type Tensor, tensor, zeros } from 'tpu-toolkit/tensor'
import { describe, expect, test } from 'vitest'
import { seed } from '../../support/seed.js'

type Params = { readonly b: Tensor; readonly w: Tensor }
type Stored = { readonly codes: Tensor; readonly scales: Tensor; readonly words: Tensor }

const blockwise = ['bitsandbytes-8bit', 'torchao-8bit', 'torchao-4bit', 'torchao-fp8'] as const
const formats: readonly o.StateFormat[] = [
  ...blockwise,
  'bfloat16',
  { format: 'torchao-8bit', key: 3 },
  { format: 'torchao-4bit', key: 3 },
  { format: 'bfloat16', key: 3 },
]
const named = formats.map((format) => [JSON.stringify(format), format] as const)

/** 4160 elements are no whole number of blocks. */
const start = (): Params => ({ w: normal(key(seed), [65, 64]), b: normal(key(seed + 1), [7]) })
const slopes = (n: number): Params => ({
  w: normal(key(1000 + n), [65, 64]),
  b: normal(key(2000 + n), [7]),
})
const bytesOf = (state: o.State): Uint8Array => encodeSafetensors({ state: o.stateToTree(state) })
const momentsOf = (state: o.AdamState): { mu: { w: Stored; b: Tensor }; nu: { w: Stored; b: Tensor } } =>
  state as never

describe('storedState', () => {
  test('moments of 4096 elements and more are codes and scales, of the first state 0', () => {
    const params = { w: normal(key(0), [64, 64]), b: zeros([4095]) }
    for (const format of blockwise) {
      const { mu, nu } = momentsOf(o.scaleByAdam({ stateFormat: format }).init(params))
      for (const moment of [mu, nu]) {
        expect(moment.b.dtype).toBe('float32')
        const four = format === 'torchao-4bit'
        expect([moment.w.codes.shape, moment.w.scales.shape]).toEqual(
          four ? [[2048], [32]] : [[64, 64], [16]],
        )
        expect(sum(square(moment.w.scales)).item()).toBe(0)
        expect(moment.w.codes.toBits().every((code) => code === 0)).toBe(true)
      }
    }
  })

  test.each(blockwise)('%s: a step is that of the restored moments, stored by toBlockwise', (format) => {
    const params = start()
    const plain = o.scaleByAdam()
    const own = o.scaleByAdam({ stateFormat: format })
    let state = own.init(params)
    let restored = plain.init(params)
    for (let n = 0; n < 4; n++) {
      const [expected, after] = plain.update(slopes(n), restored)
      const [updates, next] = own.update(slopes(n), state)
      expect(updates.w.toBits()).toEqual(expected.w.toBits())
      const moments = momentsOf(next)
      for (const name of ['mu', 'nu'] as const) {
        const signed = name === 'mu'
        const values = (after[name] as Params).w.data as Float32Array
        const blocks = toBlockwise(values, format, { signed })
        expect(moments[name].w.codes.toBits()).toEqual(blocks.codes)
        expect(moments[name].w.scales.data).toEqual(blocks.scales)
        const back = fromBlockwise(blocks, format, { signed, length: values.length })
        restored = {
          ...after,
          ...restored,
          [name]: { ...(after[name] as Params), w: tensor(back, { shape: [65, 64] }) },
        }
      }
      restored = { ...restored, count: after.count }
      state = next
    }
  })

  test('rounding at random draws from the words beside a moment: of the stream of its place', () => {
    const params = start()
    const own = o.scaleByAdam({ stateFormat: { format: 'torchao-8bit', key: key(5) } })
    const begun = momentsOf(own.init(params))
    const streams = [foldIn(key(5), 0), foldIn(key(5), 1)]
    expect(Array.from(begun.mu.w.words.toNumbers())).toEqual(streams[0]!.data)
    expect(Array.from(begun.nu.w.words.toNumbers())).toEqual(streams[1]!.data)
    const moments = momentsOf(own.update(slopes(0), own.init(params))[1])
    const [, after] = o.scaleByAdam().update(slopes(0), o.scaleByAdam().init(params))
    for (const [i, name] of (['mu', 'nu'] as const).entries()) {
      const [next, sample] = split(streams[i]!)
      const values = (after[name] as Params).w.data as Float32Array
      const words = bits(sample!, values.length)
      const { codes } = toBlockwise(values, 'torchao-8bit', { signed: name === 'mu', words })
      expect(moments[name].w.codes.toBits()).toEqual(codes)
      expect(Array.from(moments[name].w.words.toNumbers())).toEqual(next!.data)
    }
  })

  test.each(named)(
    '%s: a compiled step, a direct one and a resumed run end with the same bytes',
    (_, format) => {
      const adamw = o.adamw({ learningRate: 0.01, weightDecay: 0.1, stateFormat: format })
      const loss = ({ w, b }: Params): Tensor => add(sum(square(w)), sum(square(b)))
      const trained = (compile: boolean, stop: number | undefined): Uint8Array => {
        const step = o.makeTrainStep(valueAndGrad(loss), adamw, { compile })
        let point: o.Point<o.AdamwState, Params> = { params: start(), state: adamw.init(start()) }
        for (let n = 0; n < 5; n++) {
          if (n === stop) {
            const saved = decodeSafetensors(bytesOf(point.state), { integers: 'same' }).tree()
            point = {
              params: point.params,
              state: o.stateFromTree((saved as { state: tree.Tree }).state, adamw.init(start())),
            }
          }
          const { params, state } = step(point)
          point = { params, state }
        }
        return encodeSafetensors({ params: point.params, state: o.stateToTree(point.state) })
      }
      const whole = trained(true, undefined)
      expect(trained(false, undefined)).toEqual(whole)
      expect(trained(true, 3)).toEqual(whole)
    },
  )

  test('other optimizers, masks and wrappers store what they keep', () => {
    const stateFormat = { format: 'torchao-8bit', minSize: 1, key: 1 } as const
    const makers: readonly o.GradientTransformation[] = [
      o.lion({ learningRate: 0.01, stateFormat }),
      o.sgd({ learningRate: 0.01, momentum: 0.9, stateFormat }),
      o.muon({ learningRate: 0.01, stateFormat }),
      o.nadamw({ learningRate: 0.01, stateFormat }),
      o.lamb({ learningRate: 0.01, stateFormat }),
      o.amsgrad({ learningRate: 0.01, stateFormat }),
      o.radam({ learningRate: 0.01, stateFormat }),
      o.yogi({ learningRate: 0.01, stateFormat }),
      o.adabelief({ learningRate: 0.01, stateFormat }),
      o.masked(o.adam({ learningRate: 0.01, stateFormat }), { w: true, b: false }),
      o.chain(o.clipByGlobalNorm(1), o.adam({ learningRate: 0.01, stateFormat })),
      o.multiSteps(o.adam({ learningRate: 0.01, stateFormat }), 2),
      o.storedState(o.ademamix({ learningRate: 0.01 }), stateFormat),
      o.storedState(o.adagrad({ learningRate: 0.01 }), stateFormat),
      o.storedState(o.chain(o.trace(0.9), o.rmsprop({ learningRate: 0.01 })), stateFormat),
    ]
    for (const optimizer of makers) {
      const wide = { w: normal(key(0), [12, 8]), b: zeros([8]) }
      const grads = { w: normal(key(1), [12, 8]), b: normal(key(2), [8]) }
      let [plain, compiled] = [wide, wide].map((params) => ({ params, state: optimizer.init(params) })) as [
        o.Point<o.State, typeof wide>,
        o.Point<o.State, typeof wide>,
      ]
      expect(tree.pathsOf(o.stateToTree(plain.state)).some(({ path }) => path.endsWith('codes'))).toBe(true)
      for (let n = 0; n < 3; n++) {
        const [updates, state] = optimizer.update(grads, plain.state, plain.params)
        plain = { params: o.applyUpdates(plain.params, updates), state }
        compiled = o.applyGradients(optimizer, grads, compiled)
      }
      expect(bytesOf(compiled.state)).toEqual(bytesOf(plain.state))
      expect(compiled.params.w.toBits()).toEqual(plain.params.w.toBits())
    }
  })

  test('bfloat16 second moments decay with random rounding, where those rounded to nearest stop', () => {
    const last = (format: o.StateFormat): number => {
      const adam = o.scaleByAdam({ stateFormat: format })
      let state = adam.init([zeros([512])])
      const grads = [tensor(Array(512).fill(1))]
      for (let n = 0; n < 400; n++) state = adam.update(grads, state)[1]
      const [nu] = state.nu as unknown as [Tensor | { values: Tensor }]
      const values = cast('values' in nu! ? nu.values : nu!, 'float32')
      return sum(values).item() / 512
    }
    const exact = 1 - 0.999 ** 400
    // nu grows by 1/1000, less than half the distance of bfloat16 numbers once it is 1/4 or more.
    expect(last('bfloat16')).toBeLessThan(0.26)
    // Each step's rounding has a deviation of at most half of 2^-9; 400 of them of 512 elements average out.
    expect(Math.abs(last({ format: 'bfloat16', key: seed }) - exact)).toBeLessThan(
      (5 * 2 ** -10 * Math.sqrt(400)) / Math.sqrt(512),
    )
  })

  test('any shapes: the first step from zeros is that of plain Adam', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...blockwise),
        fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 3 }),
        fc.integer({ min: 1, max: 40 }),
        (format, shape, blockSize) => {
          const params = [zeros(shape)]
          const own = o.adam({ learningRate: 0.1, stateFormat: { format, minSize: 1, blockSize } })
          const plain = o.adam({ learningRate: 0.1 })
          const grads = [normal(key(3), shape)]
          const [updates, state] = own.update(grads, own.init(params), params)
          const [expected] = plain.update(grads, plain.init(params), params)
          expect(updates[0]!.toBits()).toEqual(expected[0]!.toBits())
          expect(o.stateFromTree(o.stateToTree(state), own.init(params))).toEqual(state)
        },
      ),
      { seed, numRuns: 60 },
    )
  })

  test('vmap of an update is the update of each', () => {
    const adam = o.scaleByAdam({ stateFormat: { format: 'bitsandbytes-8bit', minSize: 1, key: 2 } })
    const first = o.stateToTree(adam.init([zeros([40])]))
    const own = o.withTensorState(adam)
    const grads = [0, 1, 2].map((n) => [normal(key(n), [40])])
    const update = (g: readonly Tensor[], state: tree.Tree): tree.Tree =>
      own.update(g, state) as unknown as tree.Tree
    const together = vmap(update)(
      [stack(grads.map(([g]) => g!))],
      tree.mapTree((x): Tensor => stack([x, x, x]), first),
    )
    const apart = grads.map((g) => update(g, first))
    const stacked = tree.mapTree((a, b, c): Tensor => stack([a, b, c]), apart[0]!, apart[1]!, apart[2]!)
    expect(encodeSafetensors({ together })).toEqual(encodeSafetensors({ together: stacked }))
  })

  test('a gradient through a stored moment names the operation; options are checked', () => {
    const adam = o.scaleByAdam({ stateFormat: { format: 'torchao-8bit', minSize: 1 } })
    const far = (x: Tensor): Tensor => {
      const [, state] = adam.update([x], adam.init([x]))
      return sum(mul(adam.update([tensor([1, 2])], state)[0][0]!, 2))
    }
    expect(() => grad(far)(tensor([1, 2]))).toThrow('state')
    const make = (stateFormat: unknown) => () =>
      o.adamw({ learningRate: 1, stateFormat: stateFormat as never })
    expect(make('torchao-8bits')).toThrow('scaleByAdam: unknown state format, did you mean torchao-8bit')
    expect(make({ format: 'bfloat16', blockSize: 2 })).toThrow('blockSize is of formats in blocks [bfloat16]')
    expect(make({ format: 'torchao-8bit', minSize: -1 })).toThrow('minSize')
    expect(make({ format: 'torchao-8bit', key: 'a' })).toThrow('not a key')
    expect(make({ format: 'torchao-8bit', seed: 1 })).toThrow('seed')
    expect(make({ format: 'torchao-8bit', moments: { mu: 'both' } })).toThrow('sign of mu')
    expect(() => o.storedState({} as never, 'bfloat16')).toThrow('storedState')
  })
})
