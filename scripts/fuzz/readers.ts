import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  Field,
  Int32,
  List,
  makeBuilder,
  Struct,
  Table,
  tableFromArrays,
  tableToIPC,
  Utf8,
  type Vector,
} from 'apache-arrow'
import {
  decodeNpy,
  decodeNpz,
  decodeSafetensors,
  encodeNpy,
  encodeNpz,
  encodeSafetensors,
  ggufOver,
  treeFromJson,
  treeToJson,
} from 'tpu-toolkit/files'
import { appendRecords, openArrow, openCsv, openJsonl, openRecords, writeRecords } from 'tpu-toolkit/pipeline'
import { ReplayBuffer } from 'tpu-toolkit/replay'
import { type Step2750Run, type SweepRow, sweepGrid } from 'tpu-toolkit/step2750'
import { sweep } from 'tpu-toolkit/step2750Files'
import { asha, grid as everyCombination, runSweep, type SweepOptions } from 'tpu-toolkit/sweep'
import { tensor } from 'tpu-toolkit/tensor'
import { folderReaders } from './folders.js'
import { ggufSeeds } from './ggufSeeds.js'
import { digests, type Reader } from './reader.js'
import { repairNpz, repairRecords, repairReplay, repairSweep } from './repair.js'

/** Where files are written soonest: in memory where the system has a place there. A disk's flushes take longer than all readers. */
const quick = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** A new folder for `readers`. */
export function quickFolder(): string {
  return mkdtempSync(join(quick, 'fuzz-'))
}

/** All readers; `folder` is for those that read files, and for their files. */
export async function readers(folder: string): Promise<readonly Reader[]> {
  const path = join(folder, 'file')
  const x = tensor([
    [1, -0, Number.NaN],
    [2.5, 3e38, -1e-40],
  ])
  const half = tensor([1, 2, 3], { dtype: 'bfloat16' })
  const flags = tensor([1, 0, 1], { dtype: 'bool' })
  const arrays = {
    x,
    flags,
    n: tensor(
      [
        [1, 2],
        [3, 4],
      ],
      { dtype: 'int32' },
    ),
    s: tensor(7, { dtype: 'float64' }),
  }
  const text = (value: string): Uint8Array => new Uint8Array(Buffer.from(value))
  const written = async (make: () => unknown): Promise<Uint8Array> => {
    rmSync(path, { force: true })
    await make()
    return new Uint8Array(readFileSync(path))
  }
  /** Reads by a path; whatever it opens is closed. */
  const byPath =
    (read: (file: string) => unknown) =>
    async (bytes: Uint8Array): Promise<unknown> => {
      writeFileSync(path, bytes)
      return read(path)
    }
  const allOf = async <T>(source: {
    readonly length: number
    at(i: number): T | Promise<T>
    range?(a: number, b: number): readonly T[] | Promise<readonly T[]>
    close?(): unknown
  }): Promise<T[]> => {
    try {
      const some = Math.min(source.length, 1000)
      const rows: T[] = []
      for (let i = 0; i < some; i++) rows.push(await source.at(i))
      const together = (await source.range?.(0, some)) ?? rows
      if (canonical(together) !== canonical(rows)) throw new Error('range: other rows than at')
      return rows
    } finally {
      await source.close?.()
    }
  }
  const grid = sweepGrid({ seed: [1, 2], lr: [1e-4, 2e-4] })
  const run = async (options: Step2750Run): Promise<SweepRow> => ({
    options,
    stepsRun: 1,
    firstNonFiniteStep: null,
    nonFiniteSteps: 0,
    medianLoss: 1,
    largestSpan: 0.1,
  })
  const bowl = ({ lr }: { readonly lr?: unknown }): { loss: number } => ({ loss: Number(lr) ** 2 })
  const halving = (at: string): SweepOptions => ({
    experiment: bowl,
    space: { lr: [1, 2, 3, 4] },
    search: asha({ over: everyCombination(), eta: 2, minSteps: 1, maxSteps: 4 }),
    metric: 'loss',
    workers: 2,
    path: at,
  })
  const replay = (nStep: boolean): ReplayBuffer => {
    const buffer = new ReplayBuffer({
      capacity: 8,
      obsDim: 2,
      actionDim: 1,
      dtype: 'float8_e4m3fn',
      prioritized: true,
      prefetch: 'in-process',
      ...(nStep && { nStep: { n: 2, gamma: 0.9 } }),
    })
    for (let i = 0; i < 11; i++) {
      buffer.add({ obs: [i, 1], action: 0, reward: i, nextObs: [i + 1, 1], terminated: i % 4 === 3 })
    }
    return buffer
  }
  return [
    {
      name: 'npy',
      extension: 'npy',
      seeds: [x, half, flags, arrays.n, arrays.s, tensor([], { shape: [0, 3] })].map(encodeNpy),
      read: (bytes) => digests({ array: decodeNpy(bytes) }),
      ops: ['decodeNpy'],
    },
    {
      name: 'npz',
      extension: 'npz',
      seeds: [encodeNpz(arrays), encodeNpz({ x, half }, { compress: true }), encodeNpz({})],
      read: (bytes) => digests(decodeNpz(bytes)),
      ops: ['decodeNpz'],
      repair: repairNpz,
    },
    {
      name: 'gguf',
      extension: 'gguf',
      seeds: ggufSeeds,
      read: (bytes) => {
        const file = ggufOver({ size: bytes.length, read: (place, n) => bytes.slice(place, place + n) })
        const readable = file.entries.filter(({ dtype }) => dtype !== undefined)
        return digests(Object.fromEntries(readable.map(({ name }) => [name, file.read(name)])))
      },
      ops: ['ggufOver'],
    },
    {
      name: 'safetensors',
      extension: 'safetensors',
      seeds: [
        encodeSafetensors({ ...arrays, half }),
        encodeSafetensors({ a: [x, { b: half }] }, { metadata: { note: 'é' } }),
        encodeSafetensors({ 'a.b': flags, e: {}, f: tensor([1, 2], { dtype: 'float8_e3m4' }) }),
      ],
      read: (bytes) => {
        const { tensors, tree } = decodeSafetensors(bytes)
        try {
          tree()
        } catch (error) {
          if (!(error instanceof RangeError) || /stack/.test(error.message)) throw error
        }
        return digests(tensors)
      },
      ops: ['decodeSafetensors'],
    },
    {
      name: 'tree',
      extension: 'json',
      seeds: [
        text(JSON.stringify(treeToJson({ a: [x, half], b: { c: flags }, d: [] }))),
        text(JSON.stringify(treeToJson(arrays, { bits: 'base64' }))),
      ],
      read: (bytes) => JSON.stringify(treeToJson(treeFromJson(Buffer.from(bytes).toString()))),
      ops: ['treeFromJson'],
    },
    {
      name: 'records',
      extension: 'records',
      seeds: [
        await written(() => writeRecords(path, ['a', 'bc', '', 'def'], { blockBytes: 3 })),
        await written(async () => {
          writeRecords(path, ['a'])
          await appendRecords(path, ['b', 'c'])
        }),
      ],
      read: byPath(async (file) => {
        const all = await openRecords(file).then(allOf, (error: unknown) => error)
        if (!(all instanceof RangeError)) {
          if (all instanceof Error) throw all
          return all
        }
        await openRecords(file, { recover: true }).then(allOf)
        throw all
      }),
      ops: ['openRecords'],
      repair: repairRecords,
    },
    {
      name: 'replay',
      extension: 'replay',
      seeds: [await written(() => replay(false).save(path)), await written(() => replay(true).save(path))],
      read: byPath(async (file) => {
        const buffer = ReplayBuffer.load(file, { prefetch: 'in-process' })
        if (buffer.isReady(2)) {
          buffer.sample(2)
          await buffer.sampleAsync(2)
          buffer.gather([buffer.oldest])
        }
        buffer.stats()
        buffer.close()
        return buffer.size
      }),
      ops: ['load', 'ReplayBuffer', 'RateLimiter'],
      repair: repairReplay,
    },
    {
      name: 'csv',
      extension: 'csv',
      seeds: [
        text('a,b\n1,x\n2,"y, z"\n3,"""q"""\n'),
        text('\ufeffa,b\r\n1,ü\r\n\r\n2,"line\r\nbreak"\r\n'),
        text('a\n1\n'),
      ],
      read: byPath(async (file) => allOf(await openCsv(file))),
      ops: ['openCsv'],
    },
    {
      name: 'jsonl',
      extension: 'jsonl',
      seeds: [text('{"a":1,"b":[1,2,"é"]}\n\n"x"\n[]\n'), text('{"a":{"b":{"c":null}}}\r\n-1.5e3\n')],
      read: byPath(async (file) => allOf(await openJsonl(file))),
      ops: ['openJsonl'],
    },
    {
      name: 'arrow',
      extension: 'arrow',
      seeds: arrowSeeds(),
      read: byPath(async (file) => allOf(await openArrow(file))),
      ops: ['openArrow'],
    },
    {
      name: 'sweep',
      extension: 'jsonl',
      seeds: [await written(() => sweep(grid, { path, run }))],
      read: byPath((file) => sweep(grid, { path: file, run })),
      ops: ['sweep'],
      repair: repairSweep,
    },
    {
      name: 'sweep-asha',
      extension: 'jsonl',
      seeds: [await written(() => runSweep(halving(path)))],
      read: byPath((file) => runSweep(halving(file))),
      ops: ['sweep', 'bowl'],
      repair: repairSweep,
    },
    ...folderReaders(folder),
  ]
}

function arrowSeeds(): Uint8Array[] {
  const plain = tableFromArrays({
    id: Int32Array.of(1, 2, 3),
    v: Float64Array.of(0.5, Number.NaN, -0),
    s: ['a', null, 'né'],
    big: BigInt64Array.of(1n, -2n, 3n),
  })
  const built = <T>(type: ConstructorParameters<typeof Field>[1], values: readonly T[]): Vector => {
    const builder = makeBuilder({ type, nullValues: [null] })
    for (const value of values) builder.append(value as never)
    return builder.finish().toVector()
  }
  const lists = built(new List(new Field('item', new Int32(), true)), [[1, 2], null, []])
  const structs = built(
    new Struct<{ n: Int32; t: Utf8 }>([new Field('n', new Int32(), true), new Field('t', new Utf8(), true)]),
    [{ n: 1, t: 'x' }, null, { n: 3, t: 'z' }],
  )
  const nested = new Table({ lists, structs })
  return [tableToIPC(plain, 'file'), tableToIPC(plain, 'stream'), tableToIPC(nested, 'file')].map((bytes) =>
    Uint8Array.from(bytes),
  )
}

/** A value as text that is the same for the same value in Python: numbers by their float64, whatever they were stored in. */
export function canonical(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value)
  if (typeof value === 'bigint') return canonical(Number(value))
  if (typeof value === 'number') {
    const bits = Buffer.alloc(8)
    bits.writeDoubleBE(Number.isNaN(value) ? Number.NaN : value)
    return bits.toString('hex')
  }
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('hex')}`
  if (ArrayBuffer.isView(value)) return canonical(Array.from(value as unknown as ArrayLike<number | bigint>))
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`).join(',')}}`
}
