import * as optimizers from 'tpu-toolkit/optimizer'
import { mapTree } from 'tpu-toolkit/tree'
import { namesFrom } from './importTable.js'

type Maker = (options: Readonly<Record<string, unknown>>) => optimizers.GradientTransformation

/** These take more than one record of options, or none. */
const otherwise = new Set(['createOptimizer', 'createPythonOptimizer', 'scaleByParamBlockRms'])

/** Every optimizer and every rescaling of the entry point, by name. */
export const makerNames: readonly string[] = namesFrom(
  'optimizer',
  /^(adams|optimizers|rescalings)\/|^unscheduled\/prodigy$/,
).filter((name) => name in optimizers && !otherwise.has(name))

/** One of them with a learning rate, a key or what else it cannot do without. */
export function made(
  name: string,
  options: { readonly arithmetic?: optimizers.Arithmetic } = {},
): optimizers.GradientTransformation {
  const makers = optimizers as unknown as Readonly<Record<string, Maker>>
  const needed: Readonly<Record<string, object>> = {
    noisySgd: { learningRate: 0.01, key: 1 },
    scaleByRprop: { learningRate: 0.01 },
  }
  const own = needed[name] ?? (name.startsWith('scaleBy') ? {} : { learningRate: 0.01 })
  if (name === 'scaleByParamBlockNorm') return optimizers.scaleByParamBlockNorm(1e-3, options)
  const transform = makers[name]!({ ...own, ...options })
  if (name !== 'scaleByMuon') return transform
  return optimizers.masked(transform, (tree) => mapTree((x): boolean => x.rank === 2, tree))
}
