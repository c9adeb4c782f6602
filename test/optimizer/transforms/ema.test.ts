import { ema } from 'tpu-toolkit/optimizer'
import { leavesOf } from 'tpu-toolkit/tree'
import { describe, expect, it } from 'vitest'
import {
  bitsOf,
  dtypeOf,
  gradsAt,
  type LeafBits,
  type Leaves,
  optimizerKey,
  stored,
} from '../../support/optimizerKeys.js'

interface EmaKey {
  readonly leaves: Leaves
  readonly grads: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  readonly runs: readonly {
    readonly decay: number
    readonly debias: boolean
    readonly accumulator_dtype: 'float32' | 'bfloat16' | null
    readonly grads: string
    readonly records: readonly {
      readonly step: number
      readonly count: number
      readonly update_dtype: string
      readonly update: LeafBits
      readonly ema_dtype: string
      readonly ema: LeafBits
    }[]
  }[]
}

const key = optimizerKey<EmaKey>('ema')

describe("ema, 50 steps, arithmetic 'xla-cpu'", () => {
  const title = 'decay $decay, debias $debias, $accumulator_dtype accumulator, $grads gradients: every bit'
  it.each(key.runs)(title, (run) => {
    const dtype = dtypeOf(run.grads)
    const transform = ema(run.decay, {
      debias: run.debias,
      ...(run.accumulator_dtype ? { accumulatorDtype: run.accumulator_dtype } : {}),
      arithmetic: 'xla-cpu',
    })
    const records = new Map(run.records.map((record) => [record.step, record]))
    let state = transform.init(gradsAt(key.leaves, key.grads[run.grads]!, 0, dtype))
    for (let step = 1; step <= 50; step++) {
      const grads = gradsAt(key.leaves, key.grads[run.grads]!, step - 1, dtype)
      const [updates, next] = transform.update(grads, state)
      state = next
      const record = records.get(step)
      if (!record) continue
      expect(state.count).toBe(record.count)
      expect(leavesOf(updates)[0]!.dtype).toBe(dtypeOf(record.update_dtype))
      expect(bitsOf(updates), `update, step ${step}`).toEqual(
        stored(record.update, key.leaves, dtypeOf(record.update_dtype)),
      )
      expect(bitsOf(state.ema), `ema, step ${step}`).toEqual(
        stored(record.ema, key.leaves, dtypeOf(record.ema_dtype)),
      )
    }
  })
})
