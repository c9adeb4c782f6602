import {
  arraySource,
  collate,
  fromModule,
  joinStates,
  pipeline,
  type StreamState,
} from 'tpu-toolkit/pipeline'
import { tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'

const numbers = (count: number) => arraySource(Array.from({ length: count }, (_, i) => i))
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = []
  for await (const item of items) taken.push(item)
  return taken
}

describe('pipeline', () => {
  it('map, filter, batch and map of batches follow each other', async () => {
    const pipe = pipeline(numbers(10))
      .map((x, { index }) => ({ x, twice: 2 * index }))
      .filter(({ x }) => x % 3 !== 0)
      .batch(4)
      .map(({ x, twice }) => [x.length, twice.at(-1)])
    expect(await all(pipe.load())).toEqual([
      [4, 10],
      [2, 16],
    ])
  })

  it('is immutable: a branch does not change what it came from', async () => {
    const base = pipeline(numbers(3))
    const doubled = base.map((x) => 2 * x)
    expect(await all(base.load())).toEqual([0, 1, 2])
    expect(await all(doubled.load())).toEqual([0, 2, 4])
    expect(await all(doubled.load())).toEqual([0, 2, 4])
  })

  it('no records, one record, and as many as a batch', async () => {
    for (const count of [0, 1, 4]) {
      const batches = await all(pipeline(numbers(count)).batch(4).load())
      expect(batches.map((batch) => [...batch])).toEqual(
        count === 0 ? [] : [Array.from({ length: count }, (_, i) => i)],
      )
    }
    expect(await all(pipeline(numbers(0), { epochs: Number.POSITIVE_INFINITY }).load())).toEqual([])
    expect(
      await all(
        pipeline(numbers(9))
          .filter(() => false)
          .batch(2)
          .load(),
      ),
    ).toEqual([])
  })

  it('endless epochs go on, and their state is plain JSON', async () => {
    const loader = pipeline(numbers(3), { epochs: Number.POSITIVE_INFINITY }).batch(2).load()
    const taken: number[] = []
    for await (const batch of loader) {
      taken.push(...batch)
      if (taken.length === 8) break
    }
    expect(taken).toEqual([0, 1, 2, 0, 1, 2, 0, 1])
    expect(joinStates([JSON.parse(JSON.stringify(loader.state()))])).toMatchObject({
      position: 8,
      pending: [],
    })
  })

  it('reads ahead no more than prefetch says', async () => {
    let read = 0
    const counted = {
      length: 100,
      at: (index: number) => {
        read++
        return index
      },
    }
    const loader = pipeline(counted).batch(2).prefetch(3).load()
    await loader.next()
    // The batch given out, three ahead, and the one that is made room for.
    expect(read).toBeLessThanOrEqual(2 * 5)
    const lazy = pipeline(counted).batch(2).prefetch(0).load()
    read = 0
    await lazy.next()
    expect(read).toBe(2)
    await loader.return()
    await lazy.return()
  })

  it('asynchronous sources and transforms keep the order', async () => {
    const slow = {
      length: 20,
      at: (index: number) =>
        new Promise<number>((resolve) => setTimeout(() => resolve(index), (7 * index) % 4)),
    }
    const pipe = pipeline(slow).map(async (x) => {
      await new Promise((resolve) => setTimeout(resolve, (5 * x) % 3))
      return x
    })
    expect(await all(pipe.prefetch(8).load({ chunk: 1 }))).toEqual([...Array(20).keys()])
  })

  it('a source that fails ends the pass with its error', async () => {
    const failing = {
      length: 5,
      at: (index: number) => {
        if (index === 3) throw new RangeError('gone')
        return index
      },
    }
    const loader = pipeline(failing).load({ chunk: 1 })
    const taken: number[] = []
    await expect(
      (async () => {
        for await (const x of loader) taken.push(x)
      })(),
    ).rejects.toThrow('gone')
    expect(taken).toEqual([0, 1, 2])
  })

  it('of several reads that fail the first is told, and none goes unheard', async () => {
    const failing = {
      length: 8,
      at: (index: number): number | Promise<number> => {
        if (index === 6) throw new RangeError('at once')
        if (index === 4) return Promise.reject(new RangeError('soon'))
        return index % 2 === 0
          ? index
          : new Promise((_, reject) => setTimeout(() => reject(new RangeError(`late ${index}`)), 5))
      },
    }
    await expect(all(pipeline(failing).load())).rejects.toThrow('late 1')
    await expect(all(pipeline(failing).load({ from: 2, chunk: 3 }))).rejects.toThrow('late 3')
    await expect(all(pipeline(failing).load({ from: 6, chunk: 1 }))).rejects.toThrow('at once')
    const short = { length: 4, at: (index: number) => index, range: (start: number) => [start] }
    await expect(all(pipeline(short).load())).rejects.toThrow(new RangeError('range: gave 1 records [0, 4]'))
  })

  it('refuses what makes no pipeline', () => {
    const pipe = pipeline(numbers(8))
    const stranger: StreamState = { position: 4, pending: [[2, 5]] }
    const wrong: readonly (readonly [() => unknown, string])[] = [
      [() => pipe.batch(0), 'batch: a global batch is a positive integer [0]'],
      [() => pipe.batch(2).batch(2), 'batch: there are batches already [2]'],
      [() => pipe.batch(2, { remainder: 'pad' as never }), 'batch: a remainder is kept or dropped [pad]'],
      [
        () => pipe.batch(2).filter(() => true),
        'filter: batches are not filtered, filter before batch [batch]',
      ],
      [() => pipe.prefetch(-1), 'prefetch: not an integer from 0 on [-1]'],
      [
        () => pipe.batch(6).load({ hosts: 4 }),
        'load: a global batch does not divide among the hosts [6 / 4]',
      ],
      [() => pipe.load({ hosts: 2, host: 2 }), 'load: unknown host [2 of 2]'],
      [() => pipe.load({ hosts: 0 }), 'load: hosts is not a positive integer [0]'],
      [() => pipe.load({ workers: -1 }), 'load: workers is not a whole number from 0 to 128 [-1]'],
      [
        () => pipe.map((x) => x).load({ workers: 2 }),
        'load: workers run only transforms that fromModule names, and there is none [2]',
      ],
      [() => pipe.load({ chunk: 0 }), 'load: chunk is not a positive integer [0]'],
      [() => pipe.load({ from: 9 }), 'load: not a place of the 8 [9]'],
      [() => pipe.load({ from: {} as never }), 'load: not a place of the 8 [undefined]'],
      [
        () => pipe.load({ from: { position: 1 } as never }),
        'load: pending is not a list of stretches [undefined]',
      ],
      [
        () => pipe.load({ from: { position: 1, pending: [0] } as never }),
        'load: pending is not a list of stretches [0]',
      ],
      [() => pipe.load({ from: stranger }), 'load: pending stretches overlap or reach past 4 [2, 5]'],
      [
        () =>
          pipe.load({
            from: {
              position: 4,
              pending: [
                [0, 2],
                [1, 3],
              ],
            },
          }),
        'load: pending stretches overlap or reach past 4 [0, 2]',
      ],
      [
        () => fromModule('./here.js', 'a'),
        'fromModule: a relative path has no fixed place, give a URL or an absolute path [./here.js]',
      ],
    ]
    for (const [call, message] of wrong) expect(call).toThrow(new RangeError(message))
    expect(() => pipe.map(3 as never)).toThrow(
      new TypeError('map: a transform is a function, has a method apply, or comes of fromModule [number]'),
    )
    expect(() => fromModule('package', '')).toThrow(new TypeError('fromModule: an export has a name []'))
  })

  it('a filter that says neither true nor false is an error', async () => {
    const pipe = pipeline(numbers(3)).filter(function isGood() {
      return undefined as never
    })
    await expect(all(pipe.load())).rejects.toThrow(
      new TypeError('filter: isGood gave neither true nor false, record 0 [undefined]'),
    )
  })
})

describe('joinStates', () => {
  const state = {
    from: { position: 0, pending: [] },
    total: 10,
    hosts: 4,
    block: 2,
    remainder: 'keep',
    filtered: false,
  } as const
  const at = (host: number, consumed: number) => ({ ...state, host, consumed })

  it('refuses states that do not belong together', () => {
    const wrong: readonly (readonly [() => unknown, string])[] = [
      [() => joinStates([]), 'no states [0]'],
      [() => joinStates([at(0, 2), at(1, 2)]), 'states of hosts are missing [2, 3 of 4]'],
      [() => joinStates([at(0, 2), at(0, 2)]), 'a host has two states [0, 0]'],
      [() => joinStates([at(0, 2), { ...at(1, 2), block: 3 }]), 'states of different runs [host 0, host 1]'],
      [() => joinStates([at(0, 2), at(1, 2)], { lockstep: true }), 'lockstep takes one state [2]'],
      [
        () => joinStates([{ ...at(3, 2), filtered: true }], { lockstep: true }),
        'hosts that filter records do not keep step, give all their states [host 3]',
      ],
      [
        () => joinStates([at(3, 2)], { lockstep: true }),
        'hosts end at different steps, give all their states [host 3]',
      ],
      [() => joinStates([at(0, 4), at(1, 2), at(2, 2), at(3, 2)]), 'not a number of records of host 0 [4]'],
    ]
    for (const [call, why] of wrong) expect(call).toThrow(new RangeError(`joinStates: ${why}`))
  })

  it('of one host in step is one integer', () => {
    expect(joinStates([at(3, 0)], { lockstep: true })).toEqual({ position: 0, pending: [] })
    expect(joinStates([at(0, 2)], { lockstep: true })).toEqual({ position: 8, pending: [] })
    expect(joinStates([at(0, 3)], { lockstep: true })).toEqual({ position: 10, pending: [] })
  })
})

describe('collate', () => {
  it('makes columns of records, down to the leaves', () => {
    const batch = collate([
      {
        x: 0.1,
        name: 'a',
        nested: { y: -0, t: tensor([1, 2], { dtype: 'bfloat16' }) },
        when: new Date(0),
        list: [1],
      },
      {
        x: 2,
        name: 'b',
        nested: { y: Number.NaN, t: tensor([3, 4], { dtype: 'bfloat16' }) },
        when: new Date(1),
        list: [],
      },
    ])
    expect([batch.x, batch.name, batch.nested.y]).toEqual([
      Float64Array.of(0.1, 2),
      ['a', 'b'],
      Float64Array.of(-0, Number.NaN),
    ])
    expect([batch.nested.t.dtype, batch.nested.t.shape]).toEqual(['bfloat16', [2, 2]])
    expect([batch.when.map(Number), batch.list]).toEqual([
      [0, 1],
      [[1], []],
    ])
  })

  it('leaves what is not numbers throughout as an array', () => {
    expect(collate([1, null])).toEqual([1, null])
    expect(collate([1n, 2n])).toEqual([1n, 2n])
    expect(collate([])).toEqual([])
    expect(collate([Uint8Array.of(1), Uint8Array.of(2, 3)])).toEqual([Uint8Array.of(1), Uint8Array.of(2, 3)])
    expect(collate([{ a: 1 }, null])).toEqual([{ a: 1 }, null])
  })

  it('refuses records and tensors that do not go together', () => {
    expect(() => collate([{ a: { x: 1 } }, { a: { x: 1, y: 2 } }])).toThrow(
      new RangeError('collate: records with different fields in a [x / x, y]'),
    )
    expect(() => collate([{ a: tensor([1]) }, { a: tensor([1, 2]) }])).toThrow(
      new RangeError('collate: tensors that do not stack in a [float32 [1] / float32 [2]]'),
    )
    expect(() => collate([tensor([1]), tensor([1], { dtype: 'bfloat16' })])).toThrow(
      new RangeError('collate: tensors that do not stack [float32 [1] / bfloat16 [1]]'),
    )
  })
})
