import { checkName, checkOptions, type OptionTable, shown } from '../../base/options/index.js'
import { architectureOf, type ModelConfig, type ParameterTensor } from '../model/index.js'
import { axisSize, checkMesh, type Mesh } from './mesh.js'
import { type PartitionSpec, partsOf, unknownAxis } from './spec.js'
import { ruleFor } from './strategyRules.js'

/**
 * Ways to spread a model: 'sequence' splits time between blocks, along tensor unless it has an axis of its own; 'pipeline' gives
 * each stage layers of its own.
 */
export type Strategy = 'data' | 'fsdp' | 'tensor' | 'expert' | 'sequence' | 'pipeline'

/** Every strategy. */
export const strategies: readonly Strategy[] = ['data', 'fsdp', 'tensor', 'expert', 'sequence', 'pipeline']

/** The strategies, and the axes of the mesh for them. */
export interface StrategyOptions {
  /** One way, or several together. */
  readonly strategy: Strategy | readonly Strategy[]
  /** The mesh's axis for each, where it is not called so. Default: the axis of that name; for tensor also `model`, for pipeline `stage`. */
  readonly axes?: Readonly<Partial<Record<Strategy, string>>>
}

const strategyNames: OptionTable<StrategyOptions> = { strategy: 'required', axes: 'optional' }

/** The sharding of one parameter over the mesh. */
export interface ParameterSharding {
  readonly name: string
  /** What its dimensions are, in the letters of the configuration. */
  readonly axes: readonly string[]
  readonly shape: readonly number[]
  /** How many of it the model has. */
  readonly copies: number
  /** How many of them each device has a part of: with a pipeline those of its stage. */
  readonly copiesPerDevice: number
  readonly spec: PartitionSpec
  readonly shardShape: readonly number[]
  /** Devices that hold each part. */
  readonly replicas: number
  /** Why a dimension is whole that the strategy would split, and what splitting asks for. */
  readonly notes: readonly string[]
}

/** A model on a mesh. */
export interface StrategyTable {
  readonly mesh: Mesh
  readonly parameters: readonly ParameterSharding[]
  /** Of a batch [B, T]: rows over data, fsdp and expert. */
  readonly batch: PartitionSpec
  /** Of activations [B, T, D] between blocks. */
  readonly residual: PartitionSpec
  /** Parameters that one device holds. */
  readonly elementsPerDevice: number
}

/**
 * The sharding of every parameter of a described model, as a table of specs; optimizer moments follow their parameters.
 * fsdp splits the model dimension of matrices; tensor heads, the inside of MLPs and the vocabulary, columns before rows; expert
 * the experts; pipeline the layers, whose parameters then are on the devices of their stage alone. A dimension that does not divide stays whole where that is only wasteful, and says so.
 *
 * Throws    RangeError for a strategy without an axis, and for heads, experts and MLPs that do not divide; the nearest that
 *           do are named.
 * Source    Megatron-LM (arXiv:1909.08053); the scaling book, parts 3 and 5
 *
 * @example const devices = mesh({ shape: [4, 8], axisNames: ['fsdp', 'tensor'] })
 * const llama = { family: 'decoder', D: 4096, F: 14336, L: 32, N: 32, K: 8, V: 128256 }
 * const table = shardingStrategy(devices, llama, { strategy: ['fsdp', 'tensor'] })
 * table.parameters.find(({ name }) => name === 'layer.mlp.down').spec // ['tensor', 'fsdp']
 * table.parameters.find(({ name }) => name === 'layer.norm1').spec // [null]
 */
export function shardingStrategy(mesh: Mesh, config: ModelConfig, options: StrategyOptions): StrategyTable {
  checkMesh('shardingStrategy', mesh)
  checkOptions('shardingStrategy', options, strategyNames, { positional: 'strategy' })
  const axes = axesFor(mesh, options)
  const { tensors } = architectureOf(config)
  const parameters = tensors.map((tensor) => place(mesh, axes, tensor))
  const rows = (['data', 'fsdp', 'expert'] as const).flatMap((way) => axes[way] ?? [])
  const time = axes.sequence === undefined || rows.includes(axes.sequence) ? null : axes.sequence
  return {
    mesh,
    parameters,
    batch: [rows],
    residual: [rows, time, null],
    elementsPerDevice: parameters.reduce(
      (sum, { shardShape, copiesPerDevice }) =>
        sum + copiesPerDevice * shardShape.reduce((n, size) => n * size, 1),
      0,
    ),
  }
}

type Axes = Readonly<Partial<Record<Strategy, string>>>

function axesFor(mesh: Mesh, { strategy, axes = {} }: StrategyOptions): Axes {
  const ways = typeof strategy === 'string' ? [strategy] : strategy
  if (!Array.isArray(ways)) {
    throw new TypeError(`shardingStrategy: strategy is no name or list of names [${shown(strategy)}]`)
  }
  for (const way of [...ways, ...Object.keys(axes)]) {
    checkName('shardingStrategy', 'strategy', way, strategies)
  }
  const found: Partial<Record<Strategy, string>> = {}
  // Data parallelism is what every mesh with such an axis does.
  for (const way of new Set<Strategy>([
    ...ways,
    ...(mesh.axisNames.includes('data') ? ['data' as const] : []),
  ])) {
    const names = [
      axes[way],
      way,
      ...(way === 'tensor' ? ['model'] : way === 'sequence' ? ['tensor', 'model'] : []),
      ...(way === 'pipeline' ? ['stage'] : []),
    ]
    const given = axes[way]
    if (given !== undefined && !mesh.axisNames.includes(given)) {
      throw unknownAxis('shardingStrategy', mesh, given)
    }
    const axis = names.find((name) => name !== undefined && mesh.axisNames.includes(name))
    if (axis === undefined) {
      throw new RangeError(
        `shardingStrategy: the mesh has no axis for ${way}, name one with axes: { ${way}: '...' } [${mesh.axisNames.join(', ')}]`,
      )
    }
    found[way] = axis
  }
  return found
}

function place(
  mesh: Mesh,
  axes: Axes,
  { name, shape, copies, axes: letters, ...tensor }: ParameterTensor,
): ParameterSharding {
  const rule = ruleFor({ name, shape, copies, axes: letters, ...tensor })
  const notes: string[] = []
  const spec: (string | null)[] = shape.map(() => null)
  for (const way of ['expert', 'tensor', 'fsdp'] as const) {
    const dimension = rule[way]
    const axis = axes[way]
    if (axis === undefined) continue
    if (dimension === undefined) {
      if (way === 'tensor' && rule.fused !== undefined && axisSize(mesh, axis) > 1) notes.push(rule.fused)
      continue
    }
    if (spec[dimension] !== null) continue
    const [size, ways] = [shape[dimension]!, axisSize(mesh, axis)]
    if (size % ways === 0) {
      spec[dimension] = axis
      if (way === 'tensor' && rule.note !== undefined && ways > 1) notes.push(rule.note)
    } else {
      notes.push(whole(name, letters[dimension]!, size, axis, ways))
    }
  }
  const parts = spec.map((axis) => partsOf(mesh, axis === null ? [] : [axis]))
  const stages = axes.pipeline === undefined ? 1 : stagesFor(mesh, axes.pipeline, name, copies, notes)
  return {
    ...{ name, axes: letters, shape, copies, copiesPerDevice: copies / stages, spec, notes },
    shardShape: shape.map((size, d) => size / parts[d]!),
    replicas: mesh.size / stages / parts.reduce((n, count) => n * count, 1),
  }
}

/** The stages that share the copies of a parameter: those of the layers, and 1 for what is of no layer. */
function stagesFor(mesh: Mesh, axis: string, name: string, copies: number, notes: string[]): number {
  const stages = axisSize(mesh, axis)
  if (!name.startsWith('layer')) {
    if (stages > 1) notes.push('of no layer: on every stage, though the first or the last alone needs it')
    return 1
  }
  if (copies % stages === 0) return stages
  const divisors = Array.from({ length: copies }, (_, i) => i + 1).filter((n) => copies % n === 0)
  const near = divisors.reduce((a, b) => (Math.abs(b - stages) < Math.abs(a - stages) ? b : a))
  throw new RangeError(
    `shardingStrategy: ${copies} layers do not divide over ${axis} of ${stages}, nearest ${axis} of ${near} [${name}]`,
  )
}

/** The note on a dimension that does not divide; throws if the layer cannot be computed so. */
function whole(name: string, letter: string, size: number, axis: string, ways: number): string {
  if (letter === 'K') {
    return `${size} key and value heads over ${axis} of ${ways}: every device holds all of them`
  }
  const below = size - (size % ways)
  const near = below === 0 ? `${ways}` : `${below} or ${below + ways}`
  if (letter === 'N' || letter === 'E' || letter === 'F') {
    const divisors = Array.from({ length: size }, (_, i) => i + 1).filter((n) => size % n === 0)
    const fitting = divisors.reduce((a, b) => (Math.abs(b - ways) < Math.abs(a - ways) ? b : a))
    const what = letter === 'N' ? 'heads' : letter === 'E' ? 'experts' : 'wide MLP'
    throw new RangeError(
      `shardingStrategy: ${size} ${what} do not divide over ${axis} of ${ways}, nearest ${axis} of ${fitting}, or ${near} of them [${name}]`,
    )
  }
  return `${letter} of ${size} does not divide into ${ways} over ${axis}, ${near} would: it stays whole`
}
