import { key } from 'tpu-toolkit/random'
import { cast, type FloatDType, reshape, slice, type Tensor, tensor, zeros } from 'tpu-toolkit/tensor'
import { type EmaCodebookState, emaCodebook } from 'tpu-toolkit/vq'
import { describe, expect, it } from 'vitest'
import { relativeGap, VqKeys } from '../support/vqKeys.js'

const keys = new VqKeys('ema')

interface Run {
  readonly name: string
  readonly dtype: FloatDType
  readonly decay: number
  readonly eps: number
  readonly size0: number
  readonly deadThreshold: number | null
  readonly dead: readonly (readonly number[])[]
}

const { runs, n, d, k } = keys.facts as unknown as { runs: Run[]; n: number; d: number; k: number }
const batches = keys.floats('batches').toNumbers()
const replacements = keys.whole('replacements')

describe.each(runs)('emaCodebook, the key $name', (run) => {
  const { name, dtype, decay, eps, size0, deadThreshold } = run
  const column = (part: string): Tensor => keys.floats(`${name}_${part}`)
  const rightly = { size: column('size'), average: column('average'), codebook: column('codebook') }
  const codes = keys.whole(`${name}_codes`)
  const ema = emaCodebook({ decay, eps, initialSize: size0, deadThreshold: deadThreshold ?? 0, dtype })
  const at = (part: Tensor, step: number): Tensor => {
    const [, ...shape] = part.shape
    return reshape(slice(part, [[step, step + 1]]), shape)
  }

  it('has the codes, sizes, averages and codebook of every step, and replaces the same codes', () => {
    let state: EmaCodebookState = ema.init(keys.floats('codebook0'))
    for (let step = 0; step < run.dead.length; step++) {
      const x = tensor(batches.slice(step * n * d, (step + 1) * n * d), { shape: [n, d], dtype: 'bfloat16' })
      const rows = tensor(replacements.slice(step * k, (step + 1) * k), { dtype: 'int32' })
      const before = state
      const [found, next] = ema.update(x, state, deadThreshold === null ? {} : { replacements: rows })
      state = next
      expect(Array.from(found.codes.data)).toEqual(codes.slice(step * n, (step + 1) * n))
      const dead = Array.from(found.dead.data).flatMap((one, code) => (one ? [code] : []))
      expect(dead).toEqual(run.dead[step])
      // Of the codebook before the step.
      expect(Array.from(found.quantized.toNumbers().subarray(0, d))).toEqual(
        Array.from(
          before.codebook.toNumbers().subarray(found.codes.data[0]! * d, (found.codes.data[0]! + 1) * d),
        ),
      )
      for (const part of ['size', 'average', 'codebook'] as const) {
        // Bits: every operation is one of IEEE 754.
        expect(state[part].toBits()).toEqual(at(rightly[part], step).toBits())
      }
    }
  })
})

interface Stall {
  readonly decay: number
  readonly count: number
  readonly size: number
  readonly lastChange: number
}

describe('emaCodebook in bfloat16', () => {
  const stalls = keys.facts['bfloat16Stalls'] as Stall[]
  // Rows counted by + 1 stop at 256 themselves.
  it.each(stalls.filter(({ count }) => count <= 256))(
    'stands still at $size of $count, for a decay of $decay, from step $lastChange on',
    ({ decay, count, size, lastChange }) => {
      const ema = emaCodebook({ decay, dtype: 'bfloat16' })
      let state = ema.init(zeros([1, 1]))
      let last = 0
      for (let step = 1; step <= lastChange + 20; step++) {
        const before = state.size.item()
        state = ema.update(zeros([count, 1]), state)[1]
        if (state.size.item() !== before) last = step
      }
      expect([state.size.item(), last]).toEqual([size, lastChange])
    },
  )

  it('counts no further than 256', () => {
    const ema = emaCodebook({ decay: 0, dtype: 'bfloat16' })
    expect(ema.update(zeros([1000, 1]), ema.init(zeros([1, 1])))[1].size.item()).toBe(256)
  })
})

describe('emaCodebook', () => {
  it('draws replacements of dead codes by a key, from the batch', () => {
    const ema = emaCodebook({ deadThreshold: 2 })
    const x = tensor([[1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1], [1]])
    const [step, state] = ema.update(x, ema.init(tensor([[1], [9]])), { key: key(0) })
    expect(step.dead.toNested()).toEqual([false, true])
    // The first is smoothed by what eps = 1e-5 leaves of one.
    expect(state.codebook.toNumbers()[0]).toBeCloseTo(1, 4)
    expect(state.codebook.toNumbers()[1]).toBe(1)
    expect(state.size.toNumbers()[1]).toBe(2)
  })

  it.each([
    [
      'a threshold without replacements',
      () => emaCodebook({ deadThreshold: 1 }).update(zeros([2, 1]), emaCodebook().init(zeros([1, 1]))),
      'emaCodebook.update: a threshold for dead codes needs a key or replacements [none]',
    ],
    [
      'too few replacements',
      () =>
        emaCodebook({ deadThreshold: 1 }).update(zeros([2, 1]), emaCodebook().init(zeros([2, 1])), {
          replacements: cast(zeros([1]), 'int32'),
        }),
      'emaCodebook.update: replacements are no list of 2 rows [1]',
    ],
    [
      'a decay above 1',
      () => emaCodebook({ decay: 1.5 }),
      'emaCodebook: decay is not a number from 0 to 1 [1.5]',
    ],
    ['no codes', () => emaCodebook().init(zeros([0, 3])), 'emaCodebook.init: codebook has no codes [0, 3]'],
    [
      'other vectors',
      () => emaCodebook().update(zeros([2, 3]), emaCodebook().init(zeros([2, 2]))),
      'emaCodebook.update: vectors of 3 numbers, a codebook of others [2, 2]',
    ],
    [
      'a state of something else',
      () => emaCodebook().update(zeros([2, 3]), {} as EmaCodebookState),
      'emaCodebook.update: state has no codebook [an object]',
    ],
  ])('refuses %s', (_, call, message) => {
    expect(call).toThrow(message)
  })

  it('in float32 follows the same vectors within float32', () => {
    const run = (dtype: FloatDType): Tensor => {
      const ema = emaCodebook({ decay: 0.9, dtype })
      const x = tensor(batches.slice(0, n * d), { shape: [n, d], dtype: 'bfloat16' })
      return ema.update(x, ema.init(keys.floats('codebook0')))[1].codebook
    }
    expect(relativeGap(run('float32'), run('float64'))).toBeLessThanOrEqual(2 ** -20)
  })
})
