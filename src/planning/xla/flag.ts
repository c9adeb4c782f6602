import { checkText, nearestName, shown } from '../../base/options/index.js'
import { type ChipName, chip } from '../hardware/index.js'
import {
  type FlagKind,
  type FlagVariable,
  jaxlibFlags,
  libtpuFlags,
  type ScriptCounts,
  toolkitNames,
  wrongNames,
} from './flagTable.js'

/** A flag that libtpu or jaxlib knows. */
export interface Flag {
  readonly name: string
  /** The variable that it is read from. In the other one it ends the process. */
  readonly variable: FlagVariable
  readonly kind: FlagKind
  /** What it does; empty where nothing is published. */
  readonly meaning: string
  /** In how many of MaxText's scripts each value stands, by generation. */
  readonly scripts: ScriptCounts
}

const every: ReadonlyMap<string, Flag> = new Map(
  [
    ...Object.entries(libtpuFlags).map(([name, row]) => ['LIBTPU_INIT_ARGS', name, row] as const),
    ...Object.entries(jaxlibFlags).map(([name, row]) => ['XLA_FLAGS', name, row] as const),
  ].map(([variable, name, [kind, meaning = '', scripts = {}]]) => [
    name,
    { name, variable, kind, meaning, scripts },
  ]),
)

/** The names of all flags in the table. */
export const flagNames: readonly string[] = [...every.keys()]

/** The flag of that name, where the table has it. */
export const flagNamed = (name: string): Flag | undefined => every.get(name)

/**
 * The known name that a name was meant to be: what the toolkits' wrong names stand for, else the nearest in spelling, with
 * or without xla_tpu_enable_ before it. Undefined where there is none.
 *
 * @example nearestFlag('xla_tpu_enable_async_reduce_scatter') // 'xla_enable_async_reduce_scatter_fusion'
 * @example nearestFlag('xla_tpu_scoped_vmem_limit_kb') // 'xla_tpu_scoped_vmem_limit_kib'
 */
export function nearestFlag(name: string): string | undefined {
  checkText('nearestFlag', 'name', name)
  if (every.has(name)) return name
  if (Object.hasOwn(wrongNames, name)) return wrongNames[name] ?? undefined
  if (Object.hasOwn(toolkitNames, name)) return toolkitNames[name]
  const longer = [`xla_tpu_enable_${name}`, `xla_tpu_${name}`, `xla_enable_${name}`, `xla_${name}`]
  return longer.find((one) => every.has(one)) ?? nearestName(name, flagNames)
}

/** Whether libtpu was tested with that name and does not know it. */
export const isWrongName = (name: string): boolean => Object.hasOwn(wrongNames, name)

/**
 * The facts of a flag of libtpu or jaxlib.
 *
 * Throws    RangeError for a name that the table has not, the nearest named.
 * Source    libtpu 0.0.51 was given every name; jaxlib 0.10.2
 *
 * @example flag('xla_enable_async_all_gather').kind // 'tristate'
 * @example flag('xla_dump_to').variable // 'XLA_FLAGS'
 * @example flag('xla_tpu_bf16_reduction') // throws flag: no such flag, did you mean xla_jf_bf16_inside_cross_replica_sum [xla_tpu_bf16_reduction]
 */
export function flag(name: string): Flag {
  const found = typeof name === 'string' ? every.get(name.replace(/^--/, '')) : undefined
  if (found) return found
  const near = typeof name === 'string' ? nearestFlag(name.replace(/^--/, '')) : undefined
  const advice = near === undefined ? 'and none is near' : `did you mean ${near}`
  throw new RangeError(`flag: no such flag, ${advice} [${shown(name)}]`)
}

/** Why a flag does nothing on a generation; undefined where it may do something. */
export function uselessOn(name: string, generation: ChipName): string | undefined {
  const { tensorCores, jaxDevices, sparseCores } = chip(generation)
  if (name.startsWith('xla_gpu_')) return 'it is for GPUs'
  if (name.includes('megacore') && !(tensorCores === 2 && jaxDevices === 1)) {
    return `${generation} has no megacore (two TensorCores as one device)`
  }
  if (/sparse_?core|_sc_/.test(name) && sparseCores === null) return `${generation} has no SparseCores`
  return undefined
}
