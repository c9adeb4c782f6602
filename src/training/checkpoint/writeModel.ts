import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  checkInteger,
  checkOptions,
  checkPath,
  checkText,
  noOptions,
  type OptionTable,
} from '../../base/options/index.js'
import type { Tensor } from '../../tensors/tensor/index.js'
import { pathsOf, type Tree, type Treelike, treeFromPaths } from '../../tensors/tree/index.js'
import { safetensorsPieces, writeFileAtomic, writeSafetensors } from '../files/index.js'
import { resolvedFolder } from './resolvedFolder.js'

/** How a model is written. */
export interface ModelOptions {
  /** The most bytes of tensors in one file; a larger tensor has one to itself. Default 5 * 10^9, as transformers has it. */
  readonly maxShardBytes?: number
  /** What the files are called. Default 'model'. */
  readonly name?: string
  /** Text by key, for every file's `__metadata__`. Default { format: 'pt' }, without which transformers refuses a file. */
  readonly metadata?: Readonly<Record<string, string>>
}

const names: OptionTable<ModelOptions> = { maxShardBytes: 'optional', name: 'optional', metadata: 'optional' }

/**
 * Writes a tree of tensors in the layout of Hugging Face: one file `model.safetensors`, or, where that would have more than
 * `maxShardBytes` of tensors, files `model-00001-of-00003.safetensors` in the order of the paths and, last, the index
 * `model.safetensors.index.json` that says which tensor is in which. Names are paths. Gives the names of the files.
 *
 * Throws    RangeError where the folder has such a model already, so that no two are ever mixed.
 * Source    https://huggingface.co/docs/safetensors, and huggingface_hub's split_torch_state_dict_into_shards
 */
export function writeModel(
  folder: string | URL,
  tree: Treelike,
  options: ModelOptions = noOptions,
): string[] {
  const op = 'writeModel'
  checkPath(op, folder)
  checkOptions(op, options, names)
  const { maxShardBytes = 5e9, name = 'model', metadata = { format: 'pt' } } = options
  checkInteger(op, 'maxShardBytes', maxShardBytes, 1)
  checkText(op, 'name', name)
  if (!/^[\w.-]+$/.test(name)) throw new RangeError(`${op}: name is not one of files [${name.slice(0, 50)}]`)
  const leaves = pathsOf(tree, { op }).map(({ path, leaf }): [string, Tensor] => [path, leaf])
  // Refuses names that no file holds, before any is written.
  safetensorsPieces(nested(leaves), { metadata })
  const top = resolvedFolder(folder)
  mkdirSync(top, { recursive: true })
  const index = join(top, `${name}.safetensors.index.json`)
  for (const there of [join(top, `${name}.safetensors`), index]) {
    if (existsSync(there)) throw new RangeError(`${op}: a model is there already [${there}]`)
  }
  const shards = shardsOf(leaves, maxShardBytes)
  if (shards.length <= 1) {
    const file = `${name}.safetensors`
    writeSafetensors(join(top, file), nested(leaves), { metadata })
    return [file]
  }
  const files = shards.map((shard, i) => {
    const file = `${name}-${numbered(i + 1)}-of-${numbered(shards.length)}.safetensors`
    writeSafetensors(join(top, file), nested(shard), { metadata })
    return file
  })
  const weightMap = shards.flatMap((shard, i) => shard.map(([path]) => [path, files[i]!] as const))
  const total = leaves.reduce((sum, [, x]) => sum + x.data.byteLength, 0)
  const content = {
    metadata: { total_size: total },
    weight_map: Object.fromEntries(weightMap.sort(([a], [b]) => (a < b ? -1 : 1))),
  }
  writeFileAtomic(index, `${JSON.stringify(content, null, 2)}\n`)
  return files
}

/** Tensors in their order, a new file where one more would be too many bytes. */
function shardsOf(leaves: readonly [string, Tensor][], most: number): [string, Tensor][][] {
  const shards: [string, Tensor][][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const entry of leaves) {
    const size = entry[1].data.byteLength
    if (bytes + size > most) {
      shards.push([])
      bytes = 0
    }
    shards.at(-1)!.push(entry)
    bytes += size
  }
  return shards
}

/** The tree that the names alone tell, so that a file says nothing else of it. */
function nested(leaves: readonly [string, Tensor][]): Tree {
  return treeFromPaths(leaves.map(([path, leaf]) => ({ path, leaf })))
}

const numbered = (i: number): string => String(i).padStart(5, '0')
