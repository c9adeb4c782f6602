import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  best,
  type CheckpointContent,
  every,
  latest,
  listCheckpoints,
  openCheckpoints,
  readCheckpoint,
  writeCheckpoint,
} from 'tpu-toolkit/checkpoint'
import { key, normal } from 'tpu-toolkit/random'
import { arange, cast, dtypes, fromBits, isFloat, type Tensor, tensor, zeros } from 'tpu-toolkit/tensor'
import { pathsOf, type Treelike } from 'tpu-toolkit/tree'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let top = ''
let made = 0
beforeAll(() => {
  top = mkdtempSync(join(tmpdir(), 'checkpoints-'))
})
afterAll(() => rmSync(top, { recursive: true }))
const fresh = (): string => join(top, String(made++))

/** Paths with dtypes, shapes and every bit. */
const bitsOf = (tree: Treelike): unknown =>
  pathsOf(tree).map(({ path, leaf }) => [path, leaf.dtype, leaf.shape, [...leaf.toBits()].map(String)])

const everything: Record<string, Tensor> = Object.fromEntries(
  dtypes.map((dtype) => [
    dtype,
    cast(tensor(isFloat(dtype) && dtype !== 'float8_e8m0fnu' ? [1, -0, 2, 0.5] : [1, 0, 2, 1]), dtype),
  ]),
)
const model = {
  layers: [
    { w: tensor(normal(key(1), 15), { shape: [5, 3] }), b: tensor([1, 2, 3], { dtype: 'bfloat16' }) },
    { w: tensor(normal(key(2), 6), { shape: [2, 3] }), b: zeros([0]) },
  ],
  count: tensor(7, { dtype: 'int32' }),
  nan: fromBits(Uint32Array.of(0x7fc00001, 0x80000000), { shape: [2], dtype: 'float32' }),
  empty: {},
  everything,
}
const content: CheckpointContent = {
  tensors: model,
  state: { seed: 3, worst: Number.NaN, low: -0, far: [Number.NEGATIVE_INFINITY], name: 'a' },
  metrics: { loss: 0.1, broken: Number.NaN },
}

describe('writeCheckpoint and readCheckpoint', () => {
  it.each([1, 2, 3, 7])('give every bit back, tree and state too, over %i hosts', (hosts) => {
    const folder = fresh()
    writeCheckpoint(folder, 12, content, { hosts })
    const back = readCheckpoint(folder)
    expect(bitsOf(back.tensors)).toEqual(bitsOf(model))
    expect(back).toMatchObject({ step: 12, state: content.state, metrics: content.metrics, casts: [] })
    expect(Object.is((back.state as { low: number }).low, -0)).toBe(true)
    expect(Object.keys(back.tensors)).toContain('empty')
    const files = Array.from({ length: hosts }, (_, host) => `host-${host}.safetensors`)
    expect(readdirSync(join(folder, 'step-00000012'))).toEqual(['checkpoint.json', ...files])
    expect(readdirSync(folder)).toEqual(['step-00000012'])
  })

  it('reads a part, by paths: lists of which items are left out by index', () => {
    const folder = fresh()
    writeCheckpoint(folder, 1, content, { hosts: 2 })
    expect(bitsOf(readCheckpoint(folder, { paths: ['layers.1', 'count'] }).tensors)).toEqual(
      bitsOf({ layers: { 1: model.layers[1] }, count: model.count }),
    )
    expect(() => readCheckpoint(folder, { paths: ['layer.0'] })).toThrow(/nothing at this path/)
    expect(() => readCheckpoint(folder, { paths: ['layers.2'] })).toThrow(
      /nothing at this path.* \[layers\.2\]$/,
    )
  })

  it('casts once to the dtype that is asked, floats only, and says so', () => {
    const folder = fresh()
    // 1 + 2^-8 + 2^-30: twice rounded, through float32, it would be the tie that goes down to 1.
    writeCheckpoint(folder, 1, {
      tensors: { x: tensor([1 + 2 ** -8 + 2 ** -30], { dtype: 'float64' }), n: model.count },
    })
    const back = readCheckpoint(folder, { dtype: 'bfloat16' })
    expect(bitsOf(back.tensors)).toEqual(
      bitsOf({ n: model.count, x: tensor([1 + 2 ** -7], { dtype: 'bfloat16' }) }),
    )
    expect(back.casts).toEqual([{ path: 'x', from: 'float64', to: 'bfloat16' }])
    const byPath = readCheckpoint(folder, { dtype: (path, dtype) => (path === 'x' ? 'float16' : dtype) })
    expect(byPath.casts).toEqual([{ path: 'x', from: 'float64', to: 'float16' }])
  })

  it('like: refuses another structure, dtype and shape, naming the path', () => {
    const folder = fresh()
    writeCheckpoint(folder, 1, { tensors: { a: { b: tensor([1, 2]) } } })
    expect(readCheckpoint(folder, { like: { a: { b: zeros([2]) } } }).tensors.a.b.toNumbers()).toEqual(
      Float64Array.of(1, 2),
    )
    expect(() => readCheckpoint(folder, { like: { a: { c: zeros([2]) } } })).toThrow(/trees differ at a\.b/)
    expect(() => readCheckpoint(folder, { like: { a: { b: zeros([3]) } } })).toThrow(
      'readCheckpoint: shapes differ at a.b [3 / saved 2]',
    )
    expect(() => readCheckpoint(folder, { like: { a: { b: zeros([2], { dtype: 'bfloat16' }) } } })).toThrow(
      'readCheckpoint: dtypes differ at a.b, option dtype casts [bfloat16, saved float32]',
    )
  })

  it('a step twice, or before the last, is refused', () => {
    const folder = fresh()
    writeCheckpoint(folder, 5, content)
    expect(() => writeCheckpoint(folder, 5, content)).toThrow(
      'writeCheckpoint: this step is saved already [5, last 5]',
    )
    expect(() => writeCheckpoint(folder, 4, content)).toThrow(
      /a later step is saved, remove it first \[4, last 5\]$/,
    )
  })

  it('state that JSON cannot hold is refused, by its path', () => {
    const write = (state: never) => writeCheckpoint(fresh(), 1, { tensors: {}, state })
    expect(() => write({ a: [1, () => 0] } as never)).toThrow(
      'writeCheckpoint: not plain data at state.a.1 [function]',
    )
    expect(() => write({ a: undefined } as never)).toThrow('not plain data at state.a [undefined]')
    expect(() => write(new Map() as never)).toThrow('not plain data at state [Map]')
  })
})

describe('checkpoints that are removed', () => {
  it('one that somebody else has removed is not missed, and removeAfter makes the rules count anew', async () => {
    const folder = fresh()
    const checkpoints = openCheckpoints(folder, { keep: [latest(2), best(1, 'loss')] })
    const save = (step: number, loss: number) => checkpoints.save(step, { tensors: {}, metrics: { loss } })
    const steps = async (): Promise<number[]> => {
      await checkpoints.wait()
      return checkpoints.list().map(({ step }) => step)
    }
    for (const [i, loss] of [5, 1, 4, 3].entries()) await save(i + 1, loss)
    expect(await steps()).toEqual([2, 3, 4])
    rmSync(join(folder, 'step-00000003'), { recursive: true })
    await save(5, 2)
    await save(6, 2)
    expect(await steps()).toEqual([2, 5, 6])
    await checkpoints.removeAfter(4)
    await save(7, 9)
    await save(8, 9)
    expect(await steps()).toEqual([2, 7, 8])
    await checkpoints.close()
    expect(readdirSync(folder)).toEqual(['step-00000002', 'step-00000007', 'step-00000008'])
  })
})

describe('a checkpoint that is not whole', () => {
  const harmed: readonly (readonly [string, (step: string) => void, RegExp])[] = [
    [
      'without its record',
      (at) => rmSync(join(at, 'checkpoint.json')),
      /is torn or foreign: it has no checkpoint\.json/,
    ],
    [
      'without a file',
      (at) => rmSync(join(at, 'host-1.safetensors')),
      /is torn: it has no host-1\.safetensors/,
    ],
    [
      'with a short file',
      (at) => truncateSync(join(at, 'host-0.safetensors'), 100),
      /is torn: host-0\.safetensors has 100 bytes of \d+/,
    ],
    [
      'with a flipped bit',
      (at) => flip(join(at, 'host-0.safetensors'), -1),
      /is damaged: the checksum of host-0\.safetensors differs/,
    ],
    [
      'with a flipped bit of its record',
      (at) => flip(join(at, 'checkpoint.json'), -20),
      /is damaged: its checksum differs/,
    ],
    [
      'with half a record',
      (at) => truncateSync(join(at, 'checkpoint.json'), 300),
      /is damaged: its checksum differs/,
    ],
    [
      'of another program',
      (at) => writeFileSync(join(at, 'checkpoint.json'), '{"kind":"other","version":1,"content":{}}'),
      /is foreign: it is not of this package/,
    ],
    [
      'of a newer version',
      (at) => newer(join(at, 'checkpoint.json')),
      /is of the newer version 2, this one reads up to 1/,
    ],
    // The rest is said by a record whose checksum is right.
    [
      'without content',
      (at) => {
        const file = join(at, 'checkpoint.json')
        writeFileSync(file, readFileSync(file, 'utf8').replace('"content":', '"contents":'))
      },
      /is damaged: it has no content/,
    ],
    ['without a state', (at) => rewritten(at, ({ state: _, ...rest }) => rest), /lacks parts/],
    ['without a tree', (at) => rewritten(at, ({ tree: _, ...rest }) => rest), /has no tree/],
    [
      'that nests without end',
      (at) => rewritten(at, (all) => ({ ...all, state: 'DEEP' }), deep),
      /is damaged: it nests deeper than 160 levels/,
    ],
    [
      'with rows that no file has',
      (at) =>
        rewritten(at, (all) => ({
          ...all,
          tensors: { x: { dtype: 'float32', shape: [9], rows: [8, 1], sharded: false } },
        })),
      /is damaged: host-0\.safetensors has another tensor at x/,
    ],
    [
      'with rows that no one asks for',
      (at) =>
        rewritten(at, (all) => ({
          ...all,
          tensors: { x: { dtype: 'float32', shape: [1], rows: [1, 0], sharded: false } },
        })),
      /is damaged: host-1\.safetensors has another tensor at x/,
    ],
    [
      'with a tensor more than it says',
      (at) => rewritten(at, (all) => ({ ...all, tree: {}, tensors: {} })),
      /is damaged: host-0\.safetensors has a tensor that the record has not \[x\]/,
    ],
  ]
  const deep = (content: string): string =>
    content.replace('"DEEP"', '['.repeat(100_000) + ']'.repeat(100_000))
  /** A record that says something else, with the checksum of that. */
  const rewritten = (
    at: string,
    change: (all: Record<string, unknown>) => object,
    last = (content: string): string => content,
  ): void => {
    const path = join(at, 'checkpoint.json')
    const [head, line] = readFileSync(path, 'utf8').split('\n') as [string, string]
    const content = last(JSON.stringify(change(JSON.parse(line.slice(0, -1)))))
    const digest = createHash('sha256').update(content).digest('hex')
    writeFileSync(path, `${head.replace(/"sha256":"\w+"/, `"sha256":"${digest}"`)}\n${content}}\n`)
  }
  const flip = (path: string, at: number): void => {
    const bytes = readFileSync(path)
    bytes[bytes.length + at]! ^= 1
    writeFileSync(path, bytes)
  }
  const newer = (path: string): void =>
    writeFileSync(path, readFileSync(path, 'utf8').replace('"version":1', '"version":2'))

  it.each(harmed)('%s is refused with what is wrong and the last good one', (_, harm, why) => {
    const folder = fresh()
    for (const step of [1, 2, 3]) {
      writeCheckpoint(folder, step, { tensors: { x: tensor([step, 2]) } }, { hosts: 2 })
    }
    harm(join(folder, 'step-00000003'))
    const refusal = new RegExp(
      `^readCheckpoint: the checkpoint of step 3 ${why.source}; the last good one is of step 2 \\[.*step-00000003\\]$`,
    )
    expect(() => readCheckpoint(folder)).toThrow(refusal)
    expect(readCheckpoint(folder, { step: 2 }).step).toBe(2)
    harm(join(folder, 'step-00000002'))
    harm(join(folder, 'step-00000001'))
    expect(() => readCheckpoint(folder)).toThrow(/; there is no other good one \[/)
  })

  it('a bit that flips is noticed, all over the record and a file', () => {
    const folder = fresh()
    writeCheckpoint(folder, 1, { tensors: { x: tensor([1]) } })
    const step = join(folder, 'step-00000001')
    for (const name of readdirSync(step)) {
      const path = join(step, name)
      const good = readFileSync(path)
      for (let i = 0; i < good.length; i += 9) {
        const bad = Buffer.from(good)
        bad[i]! ^= 1 << (i % 8)
        writeFileSync(path, bad)
        expect(() => readCheckpoint(folder), `${name} byte ${i}`).toThrow(RangeError)
      }
      writeFileSync(path, good)
    }
    expect(readCheckpoint(folder).step).toBe(1)
  })

  it('a renamed folder, a step that is not there, a folder of none, the folder of one', () => {
    const folder = fresh()
    writeCheckpoint(folder, 1, { tensors: {} })
    cpSync(join(folder, 'step-00000001'), join(folder, 'step-00000009'), { recursive: true })
    expect(() => readCheckpoint(folder)).toThrow(
      /step 9 is of another step, 1; the last good one is of step 1/,
    )
    expect(() => readCheckpoint(folder, { step: 4 })).toThrow(
      'there is no checkpoint of this step, there are 1, 9 [4]',
    )
    expect(() => readCheckpoint(join(folder, 'step-00000001'))).toThrow(
      /this is one checkpoint, give the folder that it is in/,
    )
    expect(listCheckpoints(folder)).toEqual([
      { step: 1, metrics: {} },
      { step: 9, metrics: {}, refused: 'is of another step, 1' },
    ])
    mkdirSync(join(folder, 'step-9'))
    expect(listCheckpoints(folder).length).toBe(2)
  })
})

describe('openCheckpoints', () => {
  const small = (value: number, loss = 0): CheckpointContent => ({
    tensors: { x: tensor([value]) },
    metrics: { loss },
  })

  it('save copies: what is written is what the tensors were, whatever becomes of them', async () => {
    const folder = fresh()
    const checkpoints = openCheckpoints(folder)
    const x = arange(0, 100_000)
    const before = bitsOf({ x })
    await checkpoints.save(1, { tensors: { x } })
    x.data.fill(0)
    await checkpoints.save(2, { tensors: { x } })
    await checkpoints.close()
    expect(bitsOf(readCheckpoint(folder, { step: 1 }).tensors)).toEqual(before)
    expect(readdirSync(folder)).toEqual(['step-00000001', 'step-00000002'])
  })

  it('keeps what a rule wants, and the newest', async () => {
    const folder = fresh()
    const checkpoints = openCheckpoints(folder, { keep: [latest(2), every(4), best(1, 'loss')] })
    for (let step = 1; step <= 11; step++) await checkpoints.save(step, small(step, Math.abs(step - 3)))
    await checkpoints.wait()
    expect(checkpoints.list().map(({ step }) => step)).toEqual([3, 4, 8, 10, 11])
    await checkpoints.removeAfter(4)
    await checkpoints.save(5, small(5))
    expect((await checkpoints.restore()).step).toBe(5)
    await checkpoints.close()
    await expect(checkpoints.save(6, small(6))).rejects.toThrow(/save: the checkpoints were closed/)
  })

  it('calls that are not waited for happen in their order', async () => {
    const folder = fresh()
    const checkpoints = openCheckpoints(folder)
    const done = [1, 2, 3].map((step) => checkpoints.save(step, small(step)))
    const { step } = await checkpoints.restore()
    expect(step).toBe(3)
    await Promise.all([...done, checkpoints.close()])
    expect(existsSync(join(folder, 'step-00000002'))).toBe(true)
  })

  it('an error of a save surfaces at the next save, or wait, and the one after that is written', async () => {
    const folder = fresh()
    const checkpoints = openCheckpoints(folder)
    await checkpoints.save(1, small(1))
    await checkpoints.wait()
    // Something of the name is there when the thread comes to it.
    mkdirSync(join(folder, 'step-00000002', 'x'), { recursive: true })
    await checkpoints.save(2, small(2))
    await expect(checkpoints.save(3, small(3))).rejects.toThrow(
      /^save: the checkpoint of step 2 was not written, ENOTEMPTY.* \[.*\]$/,
    )
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
    await checkpoints.save(3, small(3))
    await checkpoints.close()
    expect(readCheckpoint(folder).step).toBe(3)
  })

  it('a folder has one writer, and readers', async () => {
    const folder = fresh()
    const checkpoints = openCheckpoints(folder)
    expect(() => openCheckpoints(folder)).toThrow(/openCheckpoints: this process is writing the file already/)
    await checkpoints.save(1, small(1))
    await checkpoints.wait()
    const reader = openCheckpoints(folder, { write: false })
    expect((await reader.restore()).step).toBe(1)
    await expect(reader.save(2, small(2))).rejects.toThrow(/only read/)
    await reader.close()
    await checkpoints.close()
    expect(readdirSync(folder)).toEqual(['step-00000001'])
  })
})
