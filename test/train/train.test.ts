import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { every, readCheckpoint } from 'tpu-toolkit/checkpoint'
import { adamw } from 'tpu-toolkit/optimizer'
import { arraySource, pipeline } from 'tpu-toolkit/pipeline'
import { foldIn, key, normal } from 'tpu-toolkit/random'
import { add, cast, mean, mul, square, sub, sum, type Tensor, tensor } from 'tpu-toolkit/tensor'
import {
  type Callback,
  descend,
  earlyStop,
  type StepRecord,
  showProgress,
  stopAtNonFinite,
  type TrainOptions,
  train,
} from 'tpu-toolkit/train'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { seed } from '../support/seed.js'

let top = ''
let made = 0
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'train-'))
})
afterAll(() => rmSync(top, { recursive: true }))
const fresh = (): string => join(top, String(made++))

/** Every file of a folder, by its digest. */
const filesOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [
        path.slice(folder.length),
        createHash('sha256').update(readFileSync(path)).digest('hex'),
      ]),
  )

const params = () => ({ w: tensor(normal(key(5), 8)), b: tensor([0]) })
const loss = (p: ReturnType<typeof params>, { x, y }: { x: Tensor; y: Tensor }): Tensor =>
  mean(square(sub(add(sum(mul(x, p.w), { axis: 1 }), p.b), y)))
const rows = pipeline(
  arraySource(Array.from({ length: 40 }, (_, i) => ({ x: normal(foldIn(key(6), i), 8), y: Math.sin(i) }))),
  { shuffle: true, seed: 3, epochs: 100 },
).batch<{ x: Tensor; y: Tensor }>(4, {
  collate: (records) => ({ x: tensor(records.map(({ x }) => [...x])), y: tensor(records.map(({ y }) => y)) }),
})

/** A run with all that goes on from step to step: an optimizer, a pipeline, random keys, a callback's state. */
function run(folder: string, callbacks: readonly Callback[] = [], steps = 23) {
  const inner = descend({ init: params, loss, optimizer: adamw({ learningRate: 0.01 }) })
  let total = 0
  const counting: Callback = {
    name: 'total',
    onStep: ({ metrics }) => {
      total += metrics['loss']! + metrics['noise']!
    },
    state: () => total,
    restore: (state) => {
      total = Number(state)
    },
  }
  return train({
    ...{ init: inner.init, data: rows, steps, seed: 9 },
    step: (point, batch, context) => ({
      ...inner.step(point, batch),
      metrics: { noise: normal(context.key, 1)[0]! },
    }),
    callbacks: [counting, ...callbacks],
    checkpoint: { folder, every: 5, keep: [every(5)], settings: { rate: 0.01 } },
  })
}

describe(`train (seed ${seed})`, () => {
  const whole = { folder: '', files: {} as Record<string, string> }
  beforeAll(async () => {
    whole.folder = fresh()
    await run(whole.folder)
    whole.files = filesOf(whole.folder)
  })

  it('saves every 5 steps and the last one, with data, callbacks and settings', () => {
    expect(readdirSync(whole.folder).map((name) => Number(name.slice(5)))).toEqual([5, 10, 15, 20, 23])
    expect(readCheckpoint(whole.folder).state).toMatchObject({
      ...{ seed: 9, settings: { rate: 0.01 }, ended: null },
      data: { position: 23 * 4, pending: [] },
    })
  })

  it.each([1, 5, 7, 22])(
    'stopped by a signal at step %i and begun again, ends with the same bytes',
    async (at) => {
      const folder = fresh()
      const signal = at % 2 === 0 ? 'SIGINT' : 'SIGTERM'
      const stop: Callback = {
        onStep: ({ step }) => {
          if (step === at) process.kill(process.pid, signal)
        },
      }
      const stopped = await run(folder, [stop])
      // A signal that the system sends is heard a turn of the event loop later at times.
      expect([stopped.ended, stopped.by]).toEqual(['signal', signal])
      expect(stopped.step - at).toBeLessThan(3)
      const { ended, step } = await run(folder)
      expect([ended, step]).toEqual(['steps', 23])
      expect(filesOf(folder)).toEqual(whole.files)
    },
  )

  it('thrown out of a step and begun again, makes the steps since the last checkpoint once more', async () => {
    const folder = fresh()
    const fails: Callback = {
      onStep: ({ step }) => {
        if (step === 13) throw new Error('no more')
      },
    }
    await expect(run(folder, [fails])).rejects.toThrow('no more')
    expect(readdirSync(folder)).toEqual(['step-00000005', 'step-00000010'])
    await run(folder)
    expect(filesOf(folder)).toEqual(whole.files)
  })

  it('a run that is over is not made again, and goes on with more steps', async () => {
    const folder = fresh()
    const first = await run(folder, [], 6)
    const again = await run(folder, [], 6)
    expect([again.step, again.ended, again.metrics]).toEqual([6, 'steps', {}])
    expect(again.point.params.w.toBits()).toEqual(first.point.params.w.toBits())
    await run(folder)
    expect(filesOf(folder)).toEqual(whole.files)
  })

  it('a checkpoint of another run is refused, and one that is torn', async () => {
    const folder = fresh()
    const options = (more: object): TrainOptions<{ n: number }, number> => ({
      ...{ init: () => ({ n: 0 }), data: () => 1, step: ({ n }, x) => ({ n: n + x, loss: 0 }), steps: 4 },
      ...more,
    })
    await train(options({ checkpoint: { folder, every: 2, settings: { a: 1 } } }))
    const again = (more: object) => train(options({ steps: 8, ...more }))
    await expect(again({ checkpoint: { folder } })).rejects.toThrow(
      'train: the checkpoint is of another run, its settings differ [{"a":1}, not null]',
    )
    await expect(again({ seed: 1, checkpoint: { folder, settings: { a: 1 } } })).rejects.toThrow(
      /its seed differs \[0, not 1\]/,
    )
    truncateSync(join(folder, 'step-00000004', 'host-0.safetensors'), 9)
    await expect(again({ checkpoint: { folder, settings: { a: 1 } } })).rejects.toThrow(
      /restore: the checkpoint of step 4 is torn.* the last good one is of step 2 /,
    )
    expect(readdirSync(folder)).toEqual(['step-00000002', 'step-00000004'])
  })

  it('each step has the key of the seed with its number folded in, init that of 0', async () => {
    const keys: unknown[] = []
    await train({
      init: (k) => {
        keys.push(k.data)
        return {}
      },
      ...{ seed: 4, steps: 2 },
      data: (_, k) => keys.push(k.data),
      step: (point, _, context) => {
        keys.push(context.key.data)
        return { ...point, loss: 0 }
      },
    })
    expect(keys).toEqual([0, 1, 1, 2, 2].map((n) => foldIn(key(4), n).data))
  })

  it('plain parts of a point may be anything that JSON holds, and grow from step to step', async () => {
    const folder = fresh()
    const seen = (steps: number) =>
      train({
        init: () => ({ n: 0, seen: { words: [] as string[], best: Number.NaN } }),
        step: ({ n, seen: { words } }, x: number) => ({
          ...{ n: n + x, loss: -0 },
          seen: { words: [...words, `${x}`], best: -0 },
        }),
        ...{ data: (step: number) => step, plain: ['seen'], steps, checkpoint: { folder } },
      })
    expect((await seen(0)).point.seen.best).toBe(Number.NaN)
    await seen(2)
    const { point } = await seen(4)
    expect(point).toMatchObject({ n: 10, seen: { words: ['1', '2', '3', '4'], best: -0 } })
    expect((await seen(1)).point.seen).toEqual(point.seen)
    const other = train({
      init: () => ({ n: 0, more: 1 }),
      ...{ step: (point) => ({ ...point, loss: 0 }), data: () => 0, plain: ['more'], steps: 9 },
      checkpoint: { folder },
    })
    await expect(other).rejects.toThrow('train: the checkpoint has no plain data of this name [more]')
  })

  it('data that end, end the run', async () => {
    const few = pipeline(arraySource([1, 2, 3])).batch(2, { collate: (all: readonly number[]) => all.length })
    const { step, ended } = await train({
      ...{ init: () => ({ n: 0 }), data: few, steps: 9 },
      step: ({ n }, x: number) => ({ n: n + x, loss: x }),
    })
    expect([step, ended]).toEqual([2, 'data'])
  })
})

describe('around the steps', () => {
  const counting = { init: () => ({ n: 0 }), data: (step: number) => step }
  const step = ({ n }: { n: number }, x: number) => ({ n: n + x, loss: 10 - x })

  it('callbacks and the monitor are told in order, of evaluations too', async () => {
    const told: string[] = []
    const records: StepRecord<{ n: number }>[] = []
    const monitor = {
      onBegin: () => void told.push('begin'),
      onStep: (record: StepRecord<{ n: number }>) => void records.push(record),
      onEnd: () => void told.push('end'),
    }
    await train({
      ...counting,
      step,
      steps: 5,
      monitor,
      evaluate: { every: 2, run: ({ n }) => ({ error: n }) },
    })
    expect(records.map(({ metrics }) => metrics)).toEqual([
      { loss: 9 },
      { loss: 8, error: 3 },
      { loss: 7 },
      { loss: 6, error: 10 },
      { loss: 5, error: 15 },
    ])
    expect(records.at(-1)).toMatchObject({ step: 5, steps: 5, point: { n: 15 }, before: { n: 10 } })
    expect(told).toEqual(['begin', 'end'])
  })

  it('earlyStop ends a run whose metric gets no better, and a run that ended so is not gone on with', async () => {
    const folder = fresh()
    const worse = (): TrainOptions<{ n: number }, number> => ({
      ...counting,
      ...{ steps: 20, step: ({ n }, x) => ({ n: n + 1, loss: Math.abs(x - 6) }) },
      callbacks: [earlyStop({ metric: 'loss', patience: 3 })],
      checkpoint: { folder, every: 4 },
    })
    expect(await train(worse())).toMatchObject({ step: 9, ended: 'callback', by: 'earlyStop loss' })
    expect(await train(worse())).toMatchObject({ step: 9, ended: 'callback', point: { n: 9 } })
  })

  it('earlyStop goes on from its best value and its count, and begins at nothing', () => {
    const stop = (losses: readonly number[], state?: unknown) => {
      const callback = earlyStop({ metric: 'loss', patience: 3 })
      if (state !== undefined) callback.restore?.(state as never)
      return [losses.map((loss) => callback.onStep?.({ metrics: { loss } } as never)), callback.state?.()]
    }
    const [, state] = stop([1, 2, 2])
    expect(state).toEqual({ best: 1, worse: 2 })
    expect(stop([1], state)[0]).toEqual(['stop'])
    expect(stop([0.5, 1, 1, 1], state)[0]).toEqual([undefined, undefined, undefined, 'stop'])
    expect(stop([1e9], undefined)).toEqual([[undefined], { best: 1e9, worse: 0 }])
  })

  it('a host that is lost before the first step ends a run where it stood, its checkpoint left alone', async () => {
    const folder = fresh()
    await train({ ...counting, step, steps: 4, checkpoint: { folder, every: 2 } })
    const files = filesOf(folder)
    const gone = { host: 0, hosts: 2, lost: [1], allGather: () => Promise.reject(new Error('lost')) }
    const ended = (more: object) => train({ ...counting, step, steps: 9, hosts: gone, ...more })
    expect(await ended({ checkpoint: { folder } })).toMatchObject({
      ...{ step: 4, ended: 'host lost', point: { n: 10 } },
    })
    expect(filesOf(folder)).toEqual(files)
    expect(await ended({})).toMatchObject({ step: 0, ended: 'host lost', point: { n: 0 } })
    await expect(ended({ hosts: { ...gone, lost: [] } })).rejects.toThrow('lost')
  })

  it('stopAtNonFinite ends a run behind the first step that is not finite', async () => {
    const { step: last } = await train({
      ...counting,
      ...{
        steps: 20,
        step: ({ n }: { n: number }, x: number) => ({ n, loss: x < 7 ? 1 : 0 / 0 }),
        callbacks: [stopAtNonFinite()],
      },
    })
    expect(last).toBe(7)
  })

  it('showProgress draws loss, rate and time left, and takes the bar away; a clock that is set back changes neither', async () => {
    let drawn = ''
    const screen = {
      write: (text: string) => {
        drawn += text
      },
      isTTY: true,
      columns: 200,
      cursorTo: () => {},
      clearLine: () => {},
      moveCursor: () => {},
    }
    let now = Date.now()
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => {
      now -= 1e7
      return now
    })
    try {
      await train({ ...counting, step, steps: 3, callbacks: [showProgress(screen)] })
    } finally {
      clock.mockRestore()
    }
    expect(drawn).toMatch(/3 steps, loss 7, [\d.,e+]+\/s, 0 s left/)
    expect(drawn).not.toMatch(/-\d| - left/)
  })

  it('a step without a loss, and options that are none, are refused', async () => {
    await expect(train({ ...counting, step: ({ n }) => ({ n }) as never, steps: 1 })).rejects.toThrow(
      'train: the step gave no number as its loss [undefined]',
    )
    await expect(train({ ...counting, step, steps: 1, callback: [] } as never)).rejects.toThrow(
      /did you mean callbacks/,
    )
    await expect(train({ ...counting, step, steps: 1, data: 3 as never })).rejects.toThrow(
      'train: data is neither a function nor a pipeline [3]',
    )
    await expect(train({ ...counting, step, steps: 1, callbacks: [{ state: () => 1 }] })).rejects.toThrow(
      /has no name/,
    )
  })
})

describe('descend', () => {
  const batch = { x: tensor([[1, 2, 3, 4, 5, 6, 7, 8]]), y: tensor([1]) }
  const optimizer = adamw({ learningRate: 0.01 })

  it('compiled or not, gives the same bits', () => {
    const [a, b] = [true, false].map((compile) => {
      const { init, step } = descend({ init: params, loss, optimizer, compile })
      return [1, 2, 3].reduce((point) => step(point, batch), init(key(0)))
    })
    expect(a!.params.w.toBits()).toEqual(b!.params.w.toBits())
  })

  it('with a loss scale of a power of two, gives the bits of none', () => {
    const plain = descend({ init: params, loss, optimizer })
    const scaled = descend({
      init: params,
      loss,
      optimizer,
      lossScale: { initScale: 256, growthInterval: 2 },
    })
    let [a, b] = [plain.init(key(0)), scaled.init(key(0))]
    for (const lossScale of [256, 256, 512]) {
      a = plain.step(a, batch)
      const next = scaled.step(b, batch)
      expect(next.metrics).toEqual({ lossScale })
      b = next
    }
    expect(b.params.w.toBits()).toEqual(a.params.w.toBits())
  })

  it('stores parameters in few bits, and leaves out a step whose gradients overflow', () => {
    const narrow = (p: ReturnType<typeof params>, { x, y }: { x: Tensor; y: Tensor }): Tensor =>
      loss({ w: cast(p.w, 'float32'), b: cast(p.b, 'float32') }, { x, y })
    const { init, step } = descend({
      ...{ init: params, loss: narrow, optimizer, lossScale: { initScale: 2 ** 100 } },
      storage: { mode: 'master', dtype: 'bfloat16' },
    })
    const far = { x: batch.x, y: tensor([1e15]) }
    const begin = init(key(0))
    const after = step(begin, far)
    expect(begin.params.w.dtype).toBe('bfloat16')
    expect(after.params.w.toBits()).toEqual(begin.params.w.toBits())
    expect(step(after, batch).metrics).toEqual({ lossScale: 2 ** 99 })
  })
})
