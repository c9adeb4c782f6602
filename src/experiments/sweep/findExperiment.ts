import { createHash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import {
  checkArray,
  checkOptions,
  checkText,
  noOptions,
  type OptionTable,
  shown,
} from '../../base/options/index.js'

/** Where an experiment's file may be. */
export interface FindExperimentOptions {
  /** The folders that it must be in, or below one of them, symbolic links followed. Default: any. */
  readonly folders?: readonly string[]
}

/** The experiments that need no file. */
export const builtInNames: readonly string[] = ['step2750', 'recipe']

const names: OptionTable<FindExperimentOptions> = { folders: 'optional' }

/** The module of an experiment, which nobody has imported. */
export interface FoundExperiment {
  /** Its file, an absolute path; null for what is built in. */
  readonly file: string | null
  /** The export that is the experiment. */
  readonly name: string
  /** The first 16 digits of the SHA-256 of the file's bytes; null for what is built in. */
  readonly digest: string | null
}

/**
 * Finds the file of an experiment, as `loadExperiment` does, and hashes its bytes. Nothing of it is run.
 *
 * Throws    RangeError for a name that is none, a file that is not there, or that is outside of `folders`.
 *
 * @example findExperiment('step2750') // { file: null, name: 'step2750', digest: null }
 */
export function findExperiment(
  specifier: string,
  options: FindExperimentOptions = noOptions,
): FoundExperiment {
  const op = 'findExperiment'
  checkOptions(op, options, names)
  if (options.folders !== undefined) checkArray(op, 'folders', options.folders)
  return locateExperiment(op, specifier, options.folders)
}

/** `findExperiment` under the name of its caller. */
export function locateExperiment(
  op: string,
  specifier: string,
  folders?: readonly string[],
): FoundExperiment {
  checkText(op, 'specifier', specifier)
  if (builtInNames.includes(specifier)) return { file: null, name: specifier, digest: null }
  const [, path, name = 'default'] = /^(.*\.[cm]?[jt]s)(?:#(.+))?$/s.exec(specifier) ?? []
  if (path === undefined) {
    throw new RangeError(
      `${op}: neither ${builtInNames.join(', ')} nor the file of a module, such as ./experiment.mjs [${shown(specifier)}]`,
    )
  }
  const file = resolve(path)
  if (!existsSync(file)) throw new RangeError(`${op}: no such file [${shown(path)}]`)
  if (folders !== undefined && !folders.some((folder) => isBelow(folder, file))) {
    throw new RangeError(`${op}: the file is outside of the folders for experiments [${shown(path)}]`)
  }
  return { file, name, digest: createHash('sha256').update(readFileSync(file)).digest('hex').slice(0, 16) }
}

function isBelow(folder: string, file: string): boolean {
  const top = realpathSync(folder)
  return realpathSync(file).startsWith(top.endsWith(sep) ? top : top + sep)
}
