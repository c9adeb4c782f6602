import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  listCheckpoints,
  readCheckpoint,
  readModel,
  writeCheckpoint,
  writeModel,
} from 'tpu-toolkit/checkpoint'
import { type Tensor, tensor } from 'tpu-toolkit/tensor'
import { pathsOf, type Tree } from 'tpu-toolkit/tree'
import { digests, type Reader } from './reader.js'

// Readers of folders, whose files stand in one input, a mark between them: the record or index first, then the safetensors.

const mark = Buffer.from('\x01\x02--file--\x02\x01')

/** The readers of checkpoints and of models in the layout of Hugging Face. */
export function folderReaders(folder: string): readonly Reader[] {
  const x = tensor([
    [1, -0, Number.NaN],
    [2.5, 3e38, -1e-40],
  ])
  const half = tensor([1, 2, 3, 4, 5], { dtype: 'bfloat16' })
  const trees: readonly Tree[] = [
    { params: [x, { b: half }], count: tensor(7, { dtype: 'int32' }) },
    { 'a.b': x, e: {}, f: tensor([1, 0], { dtype: 'float8_e4m3fn' }), none: tensor([], { shape: [0, 3] }) },
  ]
  const top = join(folder, 'folders')
  const fresh = (): string => {
    rmSync(top, { recursive: true, force: true })
    mkdirSync(top)
    return top
  }
  const checkpoint = (tree: Tree, hosts: number): Uint8Array => {
    const state = { data: { position: 3, pending: [] }, best: Number.POSITIVE_INFINITY }
    writeCheckpoint(fresh(), 7, { tensors: tree, state, metrics: { loss: 0.5 } }, { hosts })
    return together(join(top, 'step-00000007'), 'checkpoint.json')
  }
  const model = (tree: Tree, maxShardBytes: number): Uint8Array => {
    writeModel(fresh(), tree, { maxShardBytes })
    return together(top, 'model.safetensors.index.json')
  }
  return [
    {
      name: 'checkpoint',
      extension: 'parts',
      seeds: [checkpoint(trees[0]!, 1), checkpoint(trees[0]!, 3), checkpoint(trees[1]!, 2)],
      read: (bytes) => {
        const step = join(fresh(), 'step-00000007')
        mkdirSync(step)
        const [record, ...files] = parts(bytes)
        writeFileSync(join(step, 'checkpoint.json'), record!)
        files.forEach((file, host) => {
          writeFileSync(join(step, `host-${host}.safetensors`), file)
        })
        // Whoever lists a folder is not stopped by what one of its checkpoints says.
        listCheckpoints(top)
        const { tensors, state, hostStates } = readCheckpoint(top)
        // What lies in the folder beside the files that the record names is not looked at.
        ensureRows(files.slice(0, JSON.parse(contentOf(record!.toString())).files.length), tensors)
        return [digests(named(tensors)), state, hostStates]
      },
      ops: ['readCheckpoint'],
      repair: repairCheckpoint,
    },
    {
      name: 'model',
      extension: 'parts',
      seeds: [model(trees[0]!, 30), model(trees[1]!, 8)],
      read: (bytes) => {
        fresh()
        const [index, ...files] = parts(bytes)
        writeFileSync(join(top, 'model.safetensors.index.json'), index!)
        files.forEach((file, i) => {
          const of = String(files.length).padStart(5, '0')
          writeFileSync(join(top, `model-${String(i + 1).padStart(5, '0')}-of-${of}.safetensors`), file)
        })
        const tensors = readModel(top)
        ensureRows(files, tensors)
        return digests(named(tensors))
      },
      ops: ['readModel'],
    },
  ]
}

/** The files of a folder as one input, this one first. */
function together(folder: string, first: string): Uint8Array {
  const others = readdirSync(folder).filter((name) => name !== first)
  const files = [first, ...others.sort()].flatMap((name, i) => [
    ...(i === 0 ? [] : [mark]),
    readFileSync(join(folder, name)),
  ])
  return new Uint8Array(Buffer.concat(files))
}

function parts(bytes: Uint8Array): Buffer[] {
  const all = Buffer.from(bytes)
  const found: Buffer[] = []
  let from = 0
  for (let at = all.indexOf(mark); at >= 0; at = all.indexOf(mark, from)) {
    found.push(all.subarray(from, at))
    from = at + mark.length
  }
  return [...found, all.subarray(from)]
}

const named = (tensors: Tree): Record<string, Tensor> =>
  Object.fromEntries(pathsOf(tensors).map(({ path, leaf }) => [path, leaf]))

/** Throws where a tensor has other bytes than the headers of the files say, read here without the toolkit. */
function ensureRows(files: readonly Buffer[], tensors: Tree): void {
  const stored = new Map<string, number>()
  for (const file of files) {
    let header: Readonly<Record<string, { readonly data_offsets: readonly [number, number] }>>
    try {
      header = JSON.parse(file.subarray(8, 8 + Number(file.readBigUInt64LE(0))).toString())
    } catch {
      // A file that nothing was read of.
      continue
    }
    for (const [name, { data_offsets: place }] of Object.entries(header)) {
      if (name !== '__metadata__') stored.set(name, (stored.get(name) ?? 0) + place[1] - place[0])
    }
  }
  for (const { path, leaf } of pathsOf(tensors)) {
    const elements = leaf.shape.reduce((product, n) => product * n, 1)
    const bytes = stored.get(path) ?? 0
    if (elements !== leaf.size || leaf.data.length !== elements || leaf.data.byteLength !== bytes) {
      throw new Error(
        `${path} of shape [${leaf.shape.join()}] has ${leaf.data.byteLength} bytes, stored ${bytes}`,
      )
    }
  }
}

/** Of a checkpoint: the sizes and digests of its files, and the digest of its content. */
function repairCheckpoint(bytes: Uint8Array): Uint8Array {
  const [record, ...files] = parts(bytes)
  const text = record!.toString()
  const content = contentOf(text)
  const repaired = withDigests(content, files)
  const head = text
    .slice(0, text.indexOf(content))
    .replace(/"sha256":"[^"]*"/, `"sha256":"${sha256(repaired)}"`)
  const whole = Buffer.from(`${head}${repaired}}\n`)
  return new Uint8Array(Buffer.concat([whole, ...files.flatMap((file) => [mark, file])]))
}

/** What stands between the head of a checkpoint.json and its end. */
function contentOf(text: string): string {
  const from = text.indexOf('"content":\n') + '"content":\n'.length
  return text.slice(from, -'}\n'.length)
}

function withDigests(content: string, files: readonly Buffer[]): string {
  try {
    const parsed = JSON.parse(content)
    if (!Array.isArray(parsed.files)) return content
    const digests = files.map((file) => ({ bytes: file.length, sha256: sha256(file) }))
    return JSON.stringify({ ...parsed, files: digests })
  } catch {
    return content
  }
}

const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex')
