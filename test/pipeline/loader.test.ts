import fc from 'fast-check'
import {
  arraySource,
  type DataLoader,
  type HostState,
  indexSampler,
  joinStates,
  type LoadOptions,
  type Pipeline,
  pipeline,
  type StreamState,
} from 'tpu-toolkit/pipeline'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

/** Everything a loader gives out, or its first `most` elements. */
async function take<T>(loader: DataLoader<T>, most = Number.POSITIVE_INFINITY): Promise<T[]> {
  const taken: T[] = []
  while (taken.length < most) {
    const { done, value } = await loader.next()
    if (done) break
    taken.push(value)
  }
  return taken
}

const flat = (batches: readonly (readonly number[])[]): number[] => batches.flat()
const list = (records: readonly number[]): number[] => [...records]
const sorted = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b)

interface Run {
  readonly records: number
  readonly hosts: number
  readonly perHost: number
  readonly epochs: number
  readonly shuffle: boolean
  readonly seed: number
  readonly prefetch: number
  readonly chunk: number
}
/** What of a run is said to a sampler. */
const orderOf = ({ epochs, shuffle, seed: drawn }: Run) => ({ epochs, shuffle, seed: drawn })

const anyRun: fc.Arbitrary<Run> = fc.record({
  records: fc.nat(40),
  hosts: fc.integer({ min: 1, max: 5 }),
  perHost: fc.integer({ min: 1, max: 7 }),
  epochs: fc.integer({ min: 1, max: 3 }),
  shuffle: fc.boolean(),
  seed: fc.nat(1000),
  prefetch: fc.nat(4),
  chunk: fc.integer({ min: 1, max: 9 }),
})

/** The pipeline of a run: records are their own indices, in batches over all hosts. */
function pipelineOf({
  records,
  hosts,
  perHost,
  epochs,
  shuffle,
  seed: drawn,
  prefetch,
}: Run): Pipeline<number[]> {
  return pipeline(arraySource(Array.from({ length: records }, (_, i) => i)), { epochs, shuffle, seed: drawn })
    .map((x) => x)
    .batch(hosts * perHost, { collate: list })
    .prefetch(prefetch)
}

const loaders = <T>(pipe: Pipeline<T>, hosts: number, options: LoadOptions): DataLoader<T>[] =>
  Array.from({ length: hosts }, (_, host) => pipe.load({ ...options, host, hosts }))

describe(`load, any run (seed ${seed})`, () => {
  it('the union over the hosts is the data set once in every epoch, in batches that one host alone would have', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (run) => {
        const { records, hosts, perHost, epochs, chunk } = run
        const perHosts = await Promise.all(
          loaders(pipelineOf(run), hosts, { chunk }).map((loader) => take(loader)),
        )
        const sampler = indexSampler(records, orderOf(run))
        const order = Array.from({ length: records * epochs }, (_, i) => sampler.at(i))
        for (let epoch = 0; epoch < epochs; epoch++) {
          expect(sorted(order.slice(epoch * records, (epoch + 1) * records))).toEqual(
            Array.from({ length: records }, (_, i) => i),
          )
        }
        const steps = Math.ceil(order.length / (hosts * perHost))
        const global = Array.from({ length: steps }, (_, step) =>
          perHosts.flatMap((batches) => batches[step] ?? []),
        )
        expect(flat(global)).toEqual(order)
        // The last records are dealt evenly.
        const last = perHosts.map((batches) => (batches.length === steps ? (batches.at(-1)?.length ?? 0) : 0))
        expect(Math.max(...last) - Math.min(...last)).toBeLessThanOrEqual(1)
      }),
      { seed, numRuns: 300 },
    )
  })

  it("remainder 'drop' gives every host the same number of whole batches", async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (run) => {
        const { records, hosts, perHost, epochs } = run
        const pipe = pipeline(arraySource(Array.from({ length: records }, (_, i) => i)), orderOf(run)).batch(
          hosts * perHost,
          {
            collate: list,
            remainder: 'drop',
          },
        )
        for (const batches of await Promise.all(loaders(pipe, hosts, {}).map((loader) => take(loader)))) {
          expect(batches.length).toBe(Math.floor((records * epochs) / (hosts * perHost)))
          expect(batches.every((batch) => batch.length === perHost)).toBe(true)
        }
      }),
      { seed, numRuns: 100 },
    )
  })

  it.each([
    [{ from: { position: 0, pending: null } }, 'pending is not a list of stretches [null]'],
    [{ from: { position: 0, pending: 5 } }, 'pending is not a list of stretches [5]'],
    [{ from: { position: 0, pending: [5] } }, 'pending is not a list of stretches [5]'],
    [{ from: { position: 9, pending: [[1]] } }, 'pending stretches overlap or reach past 9 [1, undefined]'],
    [{ from: null }, 'not a place of the 100 [undefined]'],
    [{ block: 0 }, 'block is not a whole number, 1 or more [0]'],
    [{ total: 'x' }, 'total is not a whole number, 0 or more [x]'],
    [{ remainder: 'x' }, 'unknown remainder, there are keep, drop [x]'],
  ])('joinStates: a state with %o is refused', (part, message) => {
    const deal = { total: 100, hosts: 1, block: 4, remainder: 'keep', filtered: false, host: 0, consumed: 8 }
    const state = { from: { position: 0, pending: [] }, ...deal, ...part }
    expect(() => joinStates([state as never])).toThrow(new RangeError(`joinStates: ${message}`))
    expect(() => joinStates([null as never])).toThrow(/^joinStates: a state is not an object \[null\]$/)
  })

  it('joinStates: hosts that stop anywhere go on with any number of hosts, losing and repeating nothing', async () => {
    const anyStops = fc.array(fc.nat(12), { minLength: 5, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(
        anyRun,
        anyStops,
        fc.integer({ min: 1, max: 5 }),
        anyStops,
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        async (run, stops, hostsLater, stopsLater, hostsLast, filtered) => {
          const keep = (x: number): boolean => !filtered || x % 3 !== 1
          const pipeFor = (hosts: number): Pipeline<number[]> => {
            const { records, perHost, prefetch } = run
            const all = pipeline(arraySource(Array.from({ length: records }, (_, i) => i)), orderOf(run))
            return (filtered ? all.filter(keep) : all)
              .batch(hosts * perHost, { collate: list })
              .prefetch(prefetch)
          }
          const part = async (hosts: number, from: StreamState, most: readonly number[]) => {
            const running = loaders(pipeFor(hosts), hosts, { from, chunk: run.chunk })
            const taken = await Promise.all(running.map((loader, host) => take(loader, most[host])))
            // As a checkpoint would have them.
            const states: HostState[] = JSON.parse(JSON.stringify(running.map((loader) => loader.state())))
            await Promise.all(running.map((loader) => loader.return()))
            return { taken: flat(taken.map(flat)), next: joinStates(states) }
          }
          const first = await part(run.hosts, { position: 0, pending: [] }, stops)
          const second = await part(hostsLater, first.next, stopsLater)
          const last = await part(hostsLast, second.next, [])
          const expected = Array.from({ length: run.epochs * run.records }, (_, i) => i % run.records).filter(
            keep,
          )
          expect(sorted([...first.taken, ...second.taken, ...last.taken])).toEqual(sorted(expected))
          expect(last.next).toMatchObject({ position: run.epochs * run.records, pending: [] })
        },
      ),
      { seed, numRuns: 400 },
    )
  })

  it('resume on as many hosts, all in step, gives the batches that were still to come', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, fc.nat(5), async (run, stop) => {
        const [whole] = await Promise.all(
          loaders(pipelineOf(run), run.hosts, {}).map((loader) => take(loader)),
        )
        const loader = pipelineOf(run).load({ hosts: run.hosts })
        const before = await take(loader, stop)
        const state = loader.state()
        await loader.return()
        const from = joinStates([state], { lockstep: true })
        // One integer, unless the hosts went into a remainder of which they had unequal shares.
        if (before.length * run.hosts * run.perHost <= run.epochs * run.records) {
          expect(from.pending).toEqual([])
        }
        const after = await take(pipelineOf(run).load({ hosts: run.hosts, from }))
        expect([...before, ...after]).toEqual(whole)
      }),
      { seed, numRuns: 200 },
    )
  })

  it('a run of one host, stopped at any record, goes on on four hosts in the same global order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 60 }), fc.nat(60), async (records, stop) => {
        const pipe = pipeline(arraySource(Array.from({ length: records }, (_, i) => i)), {
          shuffle: true,
          seed,
        })
        const loader = pipe.load()
        const before = await take(loader, stop)
        const from = joinStates([loader.state()])
        expect(from).toMatchObject({ position: before.length, pending: [] })
        const four = await Promise.all(
          loaders(pipe, 4, { from: from.position }).map((running) => take(running)),
        )
        const dealt = Array.from(
          { length: records - before.length },
          (_, i) => four[i % 4]![Math.floor(i / 4)]!,
        )
        const sampler = indexSampler(records, { shuffle: true, seed })
        expect([...before, ...dealt]).toEqual(Array.from({ length: records }, (_, i) => sampler.at(i)))
      }),
      { seed, numRuns: 100 },
    )
  })
})
