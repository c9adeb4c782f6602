import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { grad } from 'tpu-toolkit/autodiff'
import { type Alert, eventFile, jsonLines, monitor, type Sample, serveMetrics } from 'tpu-toolkit/monitor'
import { sgd } from 'tpu-toolkit/optimizer'
import { readRun } from 'tpu-toolkit/profile'
import { key, normal } from 'tpu-toolkit/random'
import { cast, matmul, mean, mul, square, sub, sum, type Tensor, tanh, tensor } from 'tpu-toolkit/tensor'
import { descend, effectiveBits, train } from 'tpu-toolkit/train'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

const drawn = (place: number, shape: readonly number[]): Tensor =>
  tensor(
    normal(
      key(seed + place),
      shape.reduce((a, b) => a * b, 1),
    ),
    { shape, dtype: 'bfloat16' },
  )

interface Layers {
  readonly layers: readonly { readonly w: Tensor; readonly b: Tensor }[]
}
const params = (): Layers => ({
  layers: [1, 2, 3].map((place) => ({ w: drawn(place, [8, 8]), b: drawn(place + 10, [4, 8]) })),
})
const loss = ({ layers }: Layers, x: Tensor): Tensor =>
  mean(square(layers.reduce((at, { w, b }) => tanh(sub(matmul(at, w), b)), x)))

describe(`effectiveBits (seed ${seed})`, () => {
  it('is log2 of norm over error against the gradient in float64', () => {
    const [point, x] = [params(), drawn(20, [4, 8])]
    const bits = effectiveBits((p: Layers) => grad((q: Layers) => loss(q, x))(p), point)
    const wide = {
      layers: point.layers.map(({ w, b }) => ({ w: cast(w, 'float64'), b: cast(b, 'float64') })),
    }
    const own = grad((q: Layers) => loss(q, x))(point)
    const exact = grad((q: Layers) => loss(q, cast(x, 'float64')))(wide)
    const counted = own.layers.map((layer, i) => {
      const [is, ought] = [layer, exact.layers[i]!].map(({ w, b }) => [...w.toNumbers(), ...b.toNumbers()])
      const error = Math.hypot(...ought!.map((g, k) => is![k]! - g))
      return Math.min(8, Math.max(0, Math.log2(Math.hypot(...ought!) / error)))
    })
    expect(Object.keys(bits)).toEqual(['effectiveBits', ...[0, 1, 2].map((i) => `effectiveBits/layers.${i}`)])
    // Both are float64; what they are off by is far below a thousandth of a bit.
    for (const [i, count] of counted.entries()) {
      expect(bits[`effectiveBits/layers.${i}`]).toBeCloseTo(count, 9)
    }
    expect(bits['effectiveBits']).toBe(Math.min(...[0, 1, 2].map((i) => bits[`effectiveBits/layers.${i}`]!)))
  })

  it('is the whole significand where nothing is rounded, and 0 where a gradient is no number', () => {
    const linear = (x: Tensor) => (p: { readonly w: Tensor }) => grad((q: typeof p) => sum(mul(q.w, x)))(p)
    const w = tensor([1, 2], { dtype: 'float16' })
    expect(effectiveBits(linear(tensor([3, 0.5], { dtype: 'float16' })), { w })).toEqual({
      ...{ effectiveBits: 11, 'effectiveBits/w': 11 },
    })
    const wrong = tensor([3, Number.NaN], { dtype: 'float16' })
    expect(effectiveBits(linear(wrong), { w })['effectiveBits/w']).toBe(0)
    expect(effectiveBits((x: Tensor) => grad(square)(x), tensor(3))).toMatchObject({
      'effectiveBits/params': 24,
    })
  })

  it('refuses what is no function, and a gradient that is none', () => {
    expect(() => effectiveBits(3 as never, {})).toThrow('effectiveBits: gradient is not a function')
    const whole = tensor([3], { dtype: 'int32' })
    expect(() => effectiveBits(() => whole, tensor(3))).toThrow(
      'effectiveBits: the function returns no float',
    )
  })
})

describe('descend with bits', () => {
  it.each([
    ['plain', {}],
    [
      'with a loss scale and a master copy',
      { lossScale: true, storage: { mode: 'master', dtype: 'bfloat16' } },
    ],
  ] as const)(
    'samples the first step and every so many, %s, and hands it on to every sink',
    async (_, options) => {
      const folder = mkdtempSync(join(tmpdir(), 'bits-'))
      const samples: Sample[] = []
      const alerts: Alert[] = []
      const server = await serveMetrics({ port: 0 })
      const steps = { data: () => drawn(20, [4, 8]), steps: 6, signals: [] }
      const descent = { init: params, loss, optimizer: sgd({ learningRate: 0.01 }), ...options }
      let served = ''
      const { point } = await train({
        ...descend({ ...descent, bits: 3 }),
        ...steps,
        callbacks: [
          {
            onEnd: async () => {
              served = await (await fetch(server.url)).text()
            },
          },
        ],
        monitor: monitor({
          alerts: [
            { alert: 'Few', metric: 'effectiveBits', when: 'below', threshold: 8, summary: 's' },
            { alert: 'None', metric: 'effectiveBits/layers.0', when: 'below', threshold: 0, summary: 's' },
          ],
          ...{ memory: false, onAlert: (alert: Alert) => void alerts.push(alert) },
          sinks: [
            ...[server, eventFile(folder), jsonLines(join(folder, 'run.jsonl'))],
            { write: (sample) => void samples.push(sample), close: () => undefined },
          ],
        }),
      })
      const told = samples.filter(({ values }) => 'effectiveBits' in values)
      expect(told.map(({ step }) => step)).toEqual([1, 3, 6])
      const last = told.at(-1)!.values
      expect(served).toContain(
        `tpu_toolkit_train_effective_bits{layer="layers.1"} ${last['effectiveBits/layers.1']}`,
      )
      expect(served).not.toMatch(/tpu_toolkit_train_effective_bits \d/)
      expect(readRun(folder).samples.at(-1)!.values).toEqual(samples.at(-1)!.values)
      // Between samples it is as it was.
      expect(alerts.map(({ rule, step, firing }) => [rule.alert, step, firing])).toEqual([['Few', 1, true]])
      const plain = await train({ ...descend(descent), ...steps })
      expect(point.params.layers.map(({ w }) => w.toBits())).toEqual(
        plain.point.params.layers.map(({ w }) => w.toBits()),
      )
      rmSync(folder, { recursive: true })
    },
  )
})
