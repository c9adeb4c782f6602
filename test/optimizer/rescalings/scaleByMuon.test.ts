import { readFileSync } from 'node:fs'
import { compile } from 'tpu-toolkit/compile'
import { muon, type NewtonSchulz, scaleByMuon } from 'tpu-toolkit/optimizer'
import { type FloatDType, type Tensor, tensor, zeros } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

interface Keys {
  readonly cases: Readonly<Record<string, { readonly result: readonly number[]; readonly fromLimit: number }>>
}

const keys = JSON.parse(
  readFileSync(new URL('../../golden/optimizer/muon_dtypes.json', import.meta.url), 'utf8'),
) as Keys

/** Matrix `seed` of scripts/golden/muon_dtypes.py. */
function operand(seed: number, rows: number, columns: number): Tensor<'float32'> {
  const values = Float32Array.from({ length: rows * columns }, (_, i) => {
    let h = i + seed * 2 ** 20
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
    h ^= h >>> 16
    return (h >> 16) * 2 ** -14
  })
  return tensor(values, { shape: [rows, columns] })
}

// Without momentum the direction is that of the gradient itself, which the bias correction of b = 0 leaves as it is.
const plain = { beta: 0, nesterov: false } as const
const directionOf = (g: Tensor, options: Parameters<typeof scaleByMuon>[0]): Tensor => {
  const rule = scaleByMuon({ ...plain, ...options })
  const [updates] = rule.update({ g }, rule.init({ g }), { g }) as unknown as [{ g: Tensor }]
  return updates.g
}

const shapes = [
  [6, 4],
  [16, 16],
  [24, 40],
] as const
const shapeAt = (i: number): readonly [number, number] => shapes[i]!
const dtypes = ['bfloat16', 'float16', 'float8_e4m3fn', 'float8_e5m2'] as const
const all = shapes.flatMap((shape, i) => dtypes.map((dtype) => [`${shape.join('x')} ${dtype}`, i] as const))

describe('scaleByMuon with nsDtype', () => {
  it.each(all)('has the bits of NumPy and ml_dtypes for %s', (name, i) => {
    const nsDtype = name.split(' ')[1] as FloatDType
    const found = directionOf(operand(i + 1, ...shapeAt(i)), { nsDtype })
    expect(found.dtype).toBe('float32')
    expect(Array.from(found.toNumbers())).toEqual(keys.cases[name]!.result)
  })

  it('in bfloat16 stays within a few hundredths of the float64 iteration, in e4m3 within a third; e5m2 diverges', () => {
    const far = (dtype: string): number[] =>
      shapes.map((shape) => keys.cases[`${shape.join('x')} ${dtype}`]!.fromLimit)
    for (const error of far('bfloat16')) expect(error).toBeLessThan(0.06)
    for (const error of far('float8_e4m3fn')) expect(error).toBeLessThan(1 / 3)
    for (const error of far('float8_e5m2')) expect(error).toBeGreaterThan(1)
  })

  it('is the default where it names the dtype of the gradients', () => {
    const g = operand(1, 8, 6)
    expect(directionOf(g, { nsDtype: 'float32' })).toEqual(directionOf(g, {}))
    expect(directionOf(g, { nsDtype: 'bfloat16' })).not.toEqual(directionOf(g, {}))
  })

  it('gives zeros for a matrix of zeros', () => {
    for (const nsDtype of ['bfloat16', 'float8_e4m3fn'] as const) {
      expect(Array.from(directionOf(zeros([3, 2]), { nsDtype }).toNumbers())).toEqual(Array(6).fill(0))
    }
  })

  it.each(dtypes)('compiles to the same bits in %s', (nsDtype) => {
    const rule = muon({ learningRate: 0.1, nsDtype })
    const params = { w: operand(4, 8, 6), b: tensor([1, 2]) }
    const state = rule.init(params)
    const update = (g: typeof params): typeof params =>
      (rule.update(g, state, params) as unknown as [typeof params])[0]
    const g = { w: operand(5, 8, 6), b: tensor([3, 4]) }
    expect(compile(update)(g)).toEqual(update(g))
  })

  it('refuses what is no float dtype', () => {
    expect(() => scaleByMuon({ nsDtype: 'int8' as never })).toThrow(/^scaleByMuon: nsDtype/)
    const coefficients: NewtonSchulz = [2, -1.5, 0.5]
    expect(() => muon({ learningRate: 1, nsDtype: 'fp8' as never, nsCoeffs: coefficients })).toThrow(
      /nsDtype/,
    )
  })
})
