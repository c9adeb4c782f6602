import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import {
  checkOptions,
  checkPath,
  checkText,
  noOptions,
  type OptionTable,
  shown,
} from '../../base/options/index.js'
import type { Tensor } from '../../tensors/tensor/index.js'
import { type Tree, treeFromPaths } from '../../tensors/tree/index.js'
import { openSafetensors, type SafetensorsFile } from '../files/index.js'
import { isOfFile } from './inspectCheckpoint.js'
import { resolvedFolder } from './resolvedFolder.js'

/** Which model of a folder is read, and what of it. */
export interface ReadModelOptions {
  /** What its files are called. Default 'model'. */
  readonly name?: string
  /** Which tensors, by name. Default: all. */
  readonly filter?: (name: string) => boolean
}

const names: OptionTable<ReadModelOptions> = { name: 'optional', filter: 'optional' }

/**
 * Reads a model in the layout of Hugging Face: of its index `model.safetensors.index.json` and the files that it names, or of
 * the one file `model.safetensors`. The tree is what the dots in the names tell.
 *
 * Throws    RangeError for an index that names files outside of the folder, files that are not there, or tensors that are not in
 *           the file that it says; and for two files that hold one tensor.
 */
export function readModel(folder: string | URL, options: ReadModelOptions = noOptions): Tree {
  const op = 'readModel'
  checkPath(op, folder)
  checkOptions(op, options, names)
  const { name = 'model', filter = () => true } = options
  checkText(op, 'name', name)
  if (typeof filter !== 'function') throw new TypeError(`${op}: filter is not a function [${shown(filter)}]`)
  const top = resolvedFolder(folder)
  const index = join(top, `${name}.safetensors.index.json`)
  const single = join(top, `${name}.safetensors`)
  if (!existsSync(index) && !existsSync(single)) {
    throw new RangeError(`${op}: neither ${name}.safetensors nor its index is there [${top}]`)
  }
  const map = existsSync(index) ? weightMap(op, index) : undefined
  const files = map === undefined ? [`${name}.safetensors`] : [...new Set(map.values())].sort()
  const read = files.flatMap((file) => tensorsOf(op, join(top, file), file, map, filter))
  return treeFromPaths(read.map(([path, leaf]) => ({ path, leaf })))
}

function weightMap(op: string, index: string): ReadonlyMap<string, string> {
  let map: unknown
  try {
    map = (JSON.parse(readFileSync(index, 'utf8')) as { weight_map?: unknown } | null)?.weight_map
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new RangeError(`${op}: the index is no JSON [${index}]`)
  }
  if (typeof map !== 'object' || map === null || Array.isArray(map)) {
    throw new RangeError(`${op}: the index has no weight_map [${index}]`)
  }
  if (Object.keys(map).length === 0) throw new RangeError(`${op}: the index names no tensor [${index}]`)
  return new Map(
    Object.entries(map).map(([tensor, file]) => {
      // A name, not a path: an index from elsewhere reads no other files.
      if (typeof file === 'string' && /^[^/\\]+\.safetensors$/.test(file)) return [tensor, file]
      throw new RangeError(`${op}: the index names no file beside it [${shown(file)}]`)
    }),
  )
}

/** A file, open; an error says which of them it is. */
function opened(op: string, path: string, file: string): SafetensorsFile {
  try {
    return openSafetensors(path)
  } catch (error) {
    throw isOfFile(error) ? new RangeError(`${op}: ${file}, ${error.message}`) : error
  }
}

function tensorsOf(
  op: string,
  path: string,
  file: string,
  map: ReadonlyMap<string, string> | undefined,
  filter: (name: string) => boolean,
): [string, Tensor][] {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    throw new RangeError(`${op}: a file of the index is not there [${path}]`)
  }
  const open = opened(op, path, file)
  try {
    const wanted =
      map === undefined
        ? open.names
        : [...map].filter(([, where]) => where === file).map(([tensor]) => tensor)
    const stray = open.names.find((tensor) => map !== undefined && map.get(tensor) !== file)
    if (stray !== undefined) {
      throw new RangeError(
        `${op}: ${file} has a tensor that the index does not place there [${shown(stray)}]`,
      )
    }
    const missing = wanted.find((tensor) => !open.names.includes(tensor))
    if (missing !== undefined) {
      throw new RangeError(`${op}: ${file} lacks a tensor of the index [${shown(missing)}]`)
    }
    return wanted.filter((tensor) => filter(tensor)).map((tensor) => [tensor, open.read(tensor)])
  } finally {
    open.close()
  }
}
