import { valueAndGrad } from 'tpu-toolkit/autodiff'
import { slice, type Tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { keys, loss, type Params, probeOp, probeRule, readStep } from './stateSpaceModel.js'

/** Codes with every NaN made one: the keys leave its sign and payload open. */
const comparable = (codes: ArrayLike<number>): number[] =>
  Array.from(codes, (code) => ((code & 0x7fff) > 0x7f80 ? 0x7fc0 : code))

/** The golden name of the cotangent of an array. */
const cotangents: Readonly<Record<string, string>> = {
  ...{ yh: 'gy', Ch: 'gCh', Bh: 'gBh', c: 'gc', eu: 'geu', u: 'gu', db: 'gdb', ew: 'gew', w: 'gw', D: 'gD' },
  ...{ b: 'gb', dt: 'gdt', A: 'gA', cs: 'gcs', a_log: 'gal', z: 'gz' },
}

describe.each(['step1', 'nanstep'] as const)('valueAndGrad of the naive state-space model, %s', (name) => {
  const step = readStep(name)
  const values = new Map<string, Tensor>()
  const seen = new Map<string, Tensor>()
  const [value, grads] = valueAndGrad(
    (params: Params) => loss(params, step, (key, x) => values.set(key, x)),
    {
      rules: new Map([[probeOp, probeRule(seen)]]),
    },
  )(step.params)

  it('gives every array of the forward pass to the bit', () => {
    for (const [key, codes] of Object.entries(step.arrays)) {
      const x = values.get(key)
      if (x) expect([key, comparable(x.toBits() as Uint16Array)]).toEqual([key, comparable(codes)])
    }
    for (const key of [
      'zg',
      'z',
      'dt',
      'ea',
      'A',
      'cs',
      'D',
      'm',
      'u',
      'w',
      'eu',
      'Ch',
      'ew',
      'db',
      'Bh',
      'yh',
      'rr',
    ]) {
      expect(values.has(key) && key in step.arrays).toBe(true)
    }
    const rows = [0, 1, 127].flatMap((i) => Array.from(slice(values.get('S')!, [i]).toBits() as Uint16Array))
    expect(comparable(rows)).toEqual(comparable(step.arrays['S_rows_0_1_127']!))
  })

  it('gives the loss to the bit', () => {
    const bits = value.toBits()[0] as number
    if (name === 'nanstep') expect(value.item()).toBe(Number.NaN)
    else expect(bits).toBe(step.loss)
  })

  it('gives every array of the backward pass to the bit', () => {
    for (const [key, golden] of Object.entries(cotangents)) {
      expect([golden, comparable(seen.get(key)!.toBits() as Uint16Array)]).toEqual([
        golden,
        comparable(step.arrays[golden]!),
      ])
    }
    // A matrix product starts at +0, so its zeros are +0; the key's product of two numbers may be -0.
    const unsigned = (codes: readonly number[]): number[] => codes.map((code) => (code === 0x8000 ? 0 : code))
    const rows = [0, 1, 127].flatMap((i) =>
      Array.from(slice(seen.get('outer')!, [i]).toBits() as Uint16Array),
    )
    expect(unsigned(comparable(rows))).toEqual(unsigned(comparable(step.arrays['gS_rows_0_1_127']!)))
  })

  it('gives float32 gradients of float32 parameters that hold bfloat16 values', () => {
    for (const key of keys) {
      expect(grads[key].dtype).toBe('float32')
      if (name === 'nanstep') expect(grads[key].item()).toBe(Number.NaN)
      else expect((grads[key].toBits()[0] as number) & 0xffff).toBe(0)
    }
  })
})
