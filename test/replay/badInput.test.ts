import { type NaNReward, ReplayBuffer, type ReplayOptions, type ReplaySpec } from 'tpu-toolkit/replay'
import { describe, expect, it } from 'vitest'
import { step } from './rows.js'

const usual = { capacity: 4, obsDim: 2, actionDim: 1 }
const opened = (options: object) => () =>
  new ReplayBuffer({ ...usual, ...options } as ReplayOptions<ReplaySpec>)
const withSpec =
  (spec: unknown, more = {}) =>
  () =>
    new ReplayBuffer({ capacity: 4, spec, ...more } as ReplayOptions<ReplaySpec>)

describe('new ReplayBuffer', () => {
  it.each([
    [{ capacity: 0 }, 'ReplayBuffer: capacity is not an integer in 1..2^32-1 [0]'],
    [{ capacity: 1.5 }, 'ReplayBuffer: capacity is not an integer in 1..2^32-1 [1.5]'],
    [{ capacity: undefined }, 'ReplayBuffer: option capacity is missing [capacity, obsDim, actionDim]'],
    [{ obsDim: 0 }, 'ReplayBuffer: obsDim is not a positive integer or a shape [0]'],
    [{ actionDim: undefined }, 'ReplayBuffer: option actionDim is missing [capacity, obsDim, actionDim]'],
    [{ seed: -1 }, 'ReplayBuffer: seed is not an integer in 0..2^32-1 [-1]'],
    [{ seed: 2 ** 32 }, 'ReplayBuffer: seed is not an integer in 0..2^32-1 [4294967296]'],
    [{ environments: 5 }, 'ReplayBuffer: more environments than rows [5, capacity 4]'],
    [{ environments: 0 }, 'ReplayBuffer: environments is not an integer in 1..2^32-1 [0]'],
    [{ nanReward: 'drop' }, 'ReplayBuffer: nanReward is not reject, keep or zero [drop]'],
    [{ prefetch: 'gpu' }, 'ReplayBuffer: prefetch is not worker or in-process [gpu]'],
    [{ nStep: { n: 0, gamma: 0.9 } }, 'ReplayBuffer: nStep.n is not an integer in 1..2^32-1 [0]'],
    [{ nStep: { n: 2, gamma: 1.5 } }, 'ReplayBuffer: nStep.gamma is outside 0..1 [1.5]'],
    [{ prioritized: { alpha: -1 } }, 'ReplayBuffer: prioritized.alpha is not a number of at least 0 [-1]'],
    [{ prioritized: { beta: 2 } }, 'ReplayBuffer: beta is outside 0..1 [2]'],
    [{ prioritized: { eps: 0 } }, 'ReplayBuffer: prioritized.eps is not a positive number [0]'],
    [
      { prioritized: { eps: 1e200, alpha: 2 } },
      'ReplayBuffer: prioritized.eps is too large for a sum of priorities [1e+200]',
    ],
    [
      { rateLimit: { samplesPerInsert: 1, minSizeToSample: 5, errorBuffer: 2 } },
      'ReplayBuffer: rateLimit.minSizeToSample is more than the capacity [5 of 4]',
    ],
    [{ nstep: { n: 2, gamma: 0.9 } }, 'ReplayBuffer: unknown option, did you mean nStep [nstep]'],
    [{ nStep: { n: 2, gama: 0.9 } }, 'ReplayBuffer: nStep: unknown option, did you mean gamma [gama]'],
    [
      { prioritized: { temperature: 1 } },
      'ReplayBuffer: prioritized: unknown option, there are alpha, beta, eps [temperature]',
    ],
    [
      { capacity: 2 ** 32 - 1, obsDim: 2 ** 40 },
      'ReplayBuffer: no memory for so many rows [capacity 4294967295, 8796093022216 bytes each]',
    ],
    [
      { capacity: 2 ** 32 - 1, obsDim: 2 ** 18 },
      'ReplayBuffer: no memory for so many rows [capacity 4294967295, 2097160 bytes each]',
    ],
    [{ spec: { obs: {} } }, 'ReplayBuffer: spec says it all, leave out obsDim, actionDim and dtype [spec]'],
  ])('%o is a RangeError', (options, message) => {
    expect(opened(options)).toThrow(new RangeError(message))
  })

  it.each([
    [{}, new RangeError('ReplayBuffer: spec has no columns [{}]')],
    [
      { weights: {} },
      new RangeError('ReplayBuffer: the name belongs to every batch, choose another [weights]'),
    ],
    [
      { obs: { shape: [0] } },
      new RangeError('ReplayBuffer: obs: shape is not a list of positive integers [0]'),
    ],
    [
      { obs: { dtype: 'bf16' } },
      new TypeError('ReplayBuffer: obs: unknown dtype, did you mean bfloat16 [bf16]'),
    ],
    [
      { obs: { dtype: 'float8_e8m0fnu' } },
      new TypeError('ReplayBuffer: obs: the format has no zero or no negative numbers [float8_e8m0fnu]'),
    ],
  ])('spec %o is refused', (spec, error) => {
    expect(withSpec(spec)).toThrow(error)
  })

  it('nStep asks for a reward that is one floating-point number', () => {
    const nStep = { n: 2, gamma: 1 }
    expect(withSpec({ obs: {} }, { nStep })).toThrow(
      new RangeError('ReplayBuffer: nStep needs a column reward of one number [none]'),
    )
    expect(withSpec({ reward: { shape: [2] } }, { nStep })).toThrow(
      new RangeError('ReplayBuffer: nStep needs a column reward of one number [2]'),
    )
    expect(withSpec({ reward: { dtype: 'int32' } }, { nStep })).toThrow(
      new TypeError('ReplayBuffer: nStep needs a column reward of floating point [int32]'),
    )
  })
})

describe('add', () => {
  const { obs, action, reward, nextObs } = step(1)
  const row = { obs, action, reward, nextObs, terminated: false }
  const add = (change: object) => {
    const buffer = new ReplayBuffer({ ...usual, prefetch: 'in-process' })
    const before = buffer.stats()
    let thrown: unknown
    try {
      buffer.add({ ...row, ...change } as typeof row)
    } catch (error) {
      thrown = error
    }
    // Nothing was stored.
    expect(buffer.stats()).toEqual(before)
    return thrown
  }

  it.each([
    [{ obs: [1] }, new RangeError('add: obs needs 2 numbers, 2 a row [1 numbers]')],
    [{ obs: 1 }, new RangeError('add: obs needs 2 numbers, 2 a row [1 numbers]')],
    [{ obs: undefined }, new RangeError('add: obs needs 2 numbers, 2 a row [undefined]')],
    [{ nextObs: [1, 2, 3] }, new RangeError('add: nextObs needs 2 numbers, 2 a row [3 numbers]')],
    [{ action: [1, 2] }, new RangeError('add: action needs 1 numbers, 1 a row [2 numbers]')],
    [{ obs: [1, undefined] }, new TypeError('add: obs holds something other than numbers [undefined]')],
    [{ obs: '12' }, new TypeError('add: obs is neither an array nor a typed array of numbers [string]')],
    [
      { obs: BigInt64Array.of(1n, 2n) },
      new TypeError('add: obs is neither an array nor a typed array of numbers [object]'),
    ],
    [{ terminated: undefined }, new TypeError('add: terminated is neither a boolean nor 0 or 1 [undefined]')],
    [{ truncated: 'no' }, new TypeError('add: truncated is neither a boolean nor 0 or 1 [no]')],
    [
      { done: true },
      new RangeError('add: no such column, there are obs action reward nextObs terminated truncated [done]'),
    ],
    [
      { reward: Number.NaN },
      new RangeError("add: reward is NaN; nanReward: 'keep' or 'zero' would take it [NaN]"),
    ],
  ])('a row with %o is refused whole', (change, error) => {
    expect(add(change)).toEqual(error)
  })

  it.each([
    ['uint8', 256, 'add: x is uint8, 0 .. 255 [256]'],
    ['uint8', 0.5, 'add: x is uint8, 0 .. 255 [0.5]'],
    ['int32', Number.NaN, 'add: x is int32, -2147483648 .. 2147483647 [NaN]'],
    ['uint32', -1, 'add: x is uint32, 0 .. 4294967295 [-1]'],
    ['bool', 2, 'add: x is bool, 0 .. 1 [2]'],
    ['float4_e2m1fn', Number.NaN, 'add: x: float4_e2m1fn has no NaN [NaN]'],
  ] as const)('a column of %s does not take %d', (dtype, value, message) => {
    const buffer = new ReplayBuffer({ capacity: 1, spec: { x: { dtype } } })
    expect(() => buffer.add({ x: value, terminated: true })).toThrow(new RangeError(message))
  })

  it.each([
    ['keep', Number.NaN],
    ['zero', 0],
  ] as [NaNReward, number][])("nanReward '%s' stores %d and counts it", (nanReward, stored) => {
    const buffer = new ReplayBuffer({ ...usual, nanReward })
    buffer.add({ ...row, reward: Number.NaN })
    buffer.addBatch({
      obs: [1, 2, 3, 4],
      nextObs: [1, 2, 3, 4],
      action: [0, 0],
      reward: [1, Number.NaN],
      terminated: [0, 1],
    })
    expect([...buffer.gather([0, 1, 2]).reward]).toEqual([stored, 1, stored])
    expect(buffer.stats().nanRewards).toBe(2)
  })
})

describe('addBatch', () => {
  const rows = {
    obs: [1, 2, 3, 4],
    nextObs: [1, 2, 3, 4],
    action: [0, 0],
    reward: [0, 0],
    terminated: [false, true],
  }
  const message = (change: object, more = {}): unknown => {
    const buffer = new ReplayBuffer({ ...usual, ...more })
    try {
      buffer.addBatch({ ...rows, ...change })
    } catch (error) {
      expect(buffer.added).toBe(0)
      return error
    }
    return undefined
  }

  it.each([
    [{ obs: [1, 2, 3] }, new RangeError('addBatch: obs needs 4 numbers, 2 a row [3 numbers]')],
    [
      { terminated: undefined },
      new TypeError('addBatch: terminated is not an array with a flag per row [undefined]'),
    ],
    [{ terminated: [0, 2] }, new TypeError('addBatch: terminated is neither a boolean nor 0 or 1 [2]')],
    [{ truncated: [0] }, new RangeError('addBatch: truncated has not a flag per row [1 of 2]')],
    [
      { reward: [0, Number.NaN] },
      new RangeError("addBatch: reward is NaN; nanReward: 'keep' or 'zero' would take it [NaN]"),
    ],
  ])('rows with %o are refused whole', (change, error) => {
    expect(message(change)).toEqual(error)
  })

  it('takes a row of each environment at a time, and add takes none', () => {
    expect(message({}, { environments: 3 })).toEqual(
      new RangeError('addBatch: not a row of each environment [2 rows, 3 environments]'),
    )
    const buffer = new ReplayBuffer({ ...usual, environments: 2 })
    expect(() => buffer.add(step(1))).toThrow(
      new RangeError('add: one row of each environment at a time, by addBatch [2 environments]'),
    )
    expect(buffer.addBatch(rows)).toBe(0)
  })

  it('no rows are no change', () => {
    const buffer = new ReplayBuffer(usual)
    expect(buffer.addBatch({ obs: [], nextObs: [], action: [], reward: [], terminated: [] })).toBe(0)
    expect(buffer.added).toBe(0)
  })
})
