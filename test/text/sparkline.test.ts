import { describe, expect, it } from 'vitest'
import { sparkline } from '#text'

describe('sparkline', () => {
  it('sparkline([]) is empty', () => expect(sparkline([])).toBe(''))
  it('sparkline goes from the lowest to the highest bar', () => expect(sparkline([0.5, 4, 0.5])).toBe('▁█▁'))
  it('sparkline shows equal values as equal bars', () => expect(sparkline([3, 3])).toBe('▁▁'))
  it('sparkline spaces powers evenly with log', () =>
    expect(sparkline([1, 2, 4, 8, 16, 32, 64, 128], { scale: 'log' })).toBe('▁▂▃▄▅▆▇█'))
  it('sparkline shows a change of less than ten times as less than the full height with log', () =>
    expect(sparkline([1, 1.1, 3], { scale: 'log' })).toBe('▁▁▄'))
  it('sparkline marks zeros with a dot and what is not finite with a cross', () =>
    expect(sparkline([0, Number.NaN, Number.POSITIVE_INFINITY, 1, 2], { scale: 'log' })).toBe('·××▁▃'))
})
