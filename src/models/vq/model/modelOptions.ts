import {
  checkArray,
  checkFunction,
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  checkRecord,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { type Key, key as keyOf } from '../../../tensors/random/index.js'
import type { Tensor } from '../../../tensors/tensor/index.js'
import type { Tree } from '../../../tensors/tree/index.js'
import { baselines, vectorScheme, type WeightScheme } from './weightScheme.js'

/** How a model's weights are brought to few bits. */
export interface QuantizeModelOptions<P extends Tree = Tree> {
  /**
   * At most so many bits a value in the mean over the quantised tensors, codes, scales and tables counted. Default: 4; without a
   * limit where there is a `targetRetention`.
   */
  readonly bits?: number
  /** How many neighbours a code stands for; several are tried. Default [1, 2, 4]. */
  readonly vectorLength?: number | readonly number[]
  /** Codes of a layer's codebook; several are tried. Default [16, 256]. */
  readonly codebookSize?: number | readonly number[]
  /** Which other ways may be chosen, by name; all are measured. Default: all. */
  readonly allow?: readonly string[]
  /** Inputs of layers by the path of their weights, [samples, in]: errors count as they do in the outputs. */
  readonly calibration?: Readonly<Record<string, Tensor>>
  /** How well the model does: any number. */
  readonly task?: (params: P) => number
  /** Whether more of `task` is better, or less. Default 'higher'. */
  readonly better?: 'higher' | 'lower'
  /** The share of the task's number to be kept: the fewest bits that keep it are taken. */
  readonly targetRetention?: number
  /** Which tensors are quantised. Default: floats of two axes and more. */
  readonly select?: (path: string, tensor: Tensor) => boolean
  /** Steps of k-means. Default 20. */
  readonly iterations?: number
  /** Draws the rows that codebooks are fitted to. Default: key(0). */
  readonly key?: Key
  /** Called before each layer and scheme: how many are done, of how many, and what comes. */
  readonly onProgress?: (done: number, total: number, what: string) => void
}

const names: OptionTable<QuantizeModelOptions> = {
  ...{ bits: 'optional', vectorLength: 'optional', codebookSize: 'optional', allow: 'optional' },
  ...{ calibration: 'optional', task: 'optional', better: 'optional', targetRetention: 'optional' },
  ...{ select: 'optional', iterations: 'optional', key: 'optional', onProgress: 'optional' },
}

/** The options, checked and complete. */
export interface ModelPlan<P extends Tree> {
  readonly bits: number
  readonly schemes: readonly WeightScheme[]
  readonly allowed: readonly boolean[]
  readonly calibration: Readonly<Record<string, Tensor>>
  readonly task: ((params: P) => number) | undefined
  readonly better: 'higher' | 'lower'
  readonly targetRetention: number | undefined
  readonly select: (path: string, tensor: Tensor) => boolean
  readonly key: Key
  readonly onProgress: (done: number, total: number, what: string) => void
}

const op = 'quantizeModel'

/** Checks the options. */
export function modelPlan<P extends Tree>(options: QuantizeModelOptions<P> = noOptions): ModelPlan<P> {
  checkOptions(op, options, names, { positional: 'bits' })
  const { task, targetRetention, bits = targetRetention === undefined ? 4 : 32 } = options
  const { better = 'higher', calibration = {}, iterations = 20, key = keyOf(0) } = options
  const { select = () => true, onProgress = () => {} } = options
  checkNumber(op, 'bits', bits, 0, 64)
  checkInteger(op, 'iterations', iterations, 1)
  checkName(op, 'better', better, ['higher', 'lower'])
  checkRecord(op, 'calibration', calibration)
  checkFunction(op, 'select', select)
  checkFunction(op, 'onProgress', onProgress)
  if (task !== undefined) checkFunction(op, 'task', task)
  if (targetRetention !== undefined) {
    checkNumber(op, 'targetRetention', targetRetention, 0)
    if (task === undefined) {
      throw new RangeError(`${op}: a targetRetention of no task, give one [${targetRetention}]`)
    }
  }
  const lengths = listOf('vectorLength', options.vectorLength ?? [1, 2, 4], 1)
  const sizes = listOf('codebookSize', options.codebookSize ?? [16, 256], 2)
  const vectors = lengths.flatMap((dim) => sizes.map((k) => vectorScheme({ dim, k, iterations })))
  const schemes = [...vectors, ...baselines]
  const known = baselines.map(({ name }) => name)
  const allow = options.allow ?? known
  checkArray(op, 'allow', allow)
  for (const name of allow) checkName(op, 'way', name, known)
  const allowed = schemes.map(({ family, name }) => family === 'vector' || allow.includes(name))
  return {
    ...{ bits, schemes, allowed, calibration, task, better, targetRetention, select, key, onProgress },
  }
}

function listOf(what: string, given: number | readonly number[], least: number): readonly number[] {
  const list = typeof given === 'number' ? [given] : given
  checkArray(op, what, list)
  if (list.length === 0) throw new RangeError(`${op}: ${what} has no numbers [an empty array]`)
  for (const one of list) checkInteger(op, what, one, least, 2 ** 20)
  return [...new Set(list)]
}
