import { best } from 'tpu-toolkit/checkpoint'
import { expect, it } from 'vitest'

it.each(['min', 'max'] as const)('best keeps the earlier of equals, %s', (mode) => {
  const all = [9, 3, 3, 3, 1, 3].map((loss, step) => ({
    step,
    metrics: { loss: mode === 'min' ? loss : -loss },
  }))
  for (const order of [all, [...all].reverse()]) expect(best(3, 'loss', { mode })(order)).toEqual([4, 1, 2])
})
