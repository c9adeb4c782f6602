import { chip, type Slice, slice } from 'tpu-toolkit/hardware'
import {
  estimateMemory,
  findOptimalBatchSize,
  type ModelConfig,
  parameterUse,
  type Split,
} from 'tpu-toolkit/model'
import { lint, type PlanFinding, tpuConfig } from 'tpu-toolkit/plan'
import { criticalBatch, criticalIntensity, operationBounds, trainingStep } from 'tpu-toolkit/roofline'
import {
  createMesh,
  deviceSlices,
  mesh,
  type ParameterSharding,
  shardingStrategy,
} from 'tpu-toolkit/sharding'
import type { Drawn, PlanAnswer, PlanAsked, Planned } from './planMessages.js'

/** Plans a model on a slice, as the commands `plan` and `roofline` do. */
export function planOf(asked: PlanAsked): PlanAnswer {
  const made = slice(`${asked.chip}:${asked.topology.join('x')}`)
  const { name, topology, wrap, chips, hosts } = made
  return {
    slice: { name, topology, wrap, chips, devices: made.jaxDevices, hosts },
    plan: orText(() => planned(asked, made)),
    roofline: orText(() => roofline(asked)),
  }
}

/** What comes of it, or why nothing does: sizes that do not go together are an answer. */
function orText<T>(make: () => T): T | string {
  try {
    return make()
  } catch (thrown) {
    if (thrown instanceof RangeError) return thrown.message
    throw thrown
  }
}

function planned(asked: PlanAsked, made: Slice): Planned {
  const { config, sequence, split, paramsDtype, remat } = asked
  const shared = { slice: made, sequence, split, paramsDtype, remat: remat ?? 'block' } as const
  const batch = asked.batch > 0 ? asked.batch : findOptimalBatchSize(config, shared).batch
  const { slice: _, ...memory } = estimateMemory(config, { ...shared, batch })
  const { slice: __, ...step } = trainingStep(config, {
    ...{ slice: made, batch, sequence, split: memory.split },
    ...(remat === undefined ? {} : { remat }),
  })
  const sharding = orText(() => spread(config, memory.split))
  return {
    ...{ parameters: parameterUse(config), batch, largest: asked.batch === 0, memory, step },
    tokensPerChip: (batch * sequence) / made.chips,
    criticalTokensPerChip: criticalBatch(made.chip.name),
    sharding,
    findings: orText(() => findings(asked, memory.split, batch)),
    drawn: typeof sharding === 'string' ? sharding : orText(() => drawn(asked, made, memory.split, sharding)),
  }
}

/** The ways that there are, in the order of the mesh. */
function waysOf(split: Required<Split>): readonly (keyof Split)[] {
  const ways = (['data', 'fsdp', 'expert', 'tensor'] as const).filter((way) => split[way] > 1)
  return ways.length === 0 ? ['fsdp'] : ways
}

function axesOf(split: Required<Split>): Record<string, number> {
  return Object.fromEntries(waysOf(split).map((way) => [way, split[way]]))
}

function spread(config: ModelConfig, split: Required<Split>): readonly ParameterSharding[] {
  const axes = axesOf(split)
  const devices = mesh({ shape: Object.values(axes), axisNames: Object.keys(axes) })
  return shardingStrategy(devices, config, { strategy: waysOf(split) }).parameters
}

/** The rules of the toolkits, of this slice, split and batch. */
function findings(
  { chip: version, config, paramsDtype, remat, sequence, topology }: PlanAsked,
  split: Required<Split>,
  batch: number,
): readonly PlanFinding[] {
  const described = tpuConfig({
    ...{ version, topology, paramsDtype, axes: axesOf(split), splitPhysicalAxes: true },
    ...(remat === undefined ? {} : { remat }),
  })
  return lint(described, config, { batch, sequence })
}

function drawn(
  { parameter }: PlanAsked,
  made: Slice,
  split: Required<Split>,
  sharding: readonly ParameterSharding[],
): Drawn {
  const shown = sharding.find(({ name }) => name === parameter) ?? sharding[0]!
  const onTorus = createMesh(made, { axes: axesOf(split), splitPhysicalAxes: true })
  const coordinates = onTorus.devices
    .map((device, place) => ({ device, at: onTorus.coordinates![place]! }))
    .sort((a, b) => a.device - b.device)
    .map(({ at }) => at)
  const slices = deviceSlices(onTorus, shown.spec, shown.shape)
  const numbers = new Map<string, number>()
  const parts = slices.map((held) => {
    const key = held.join(' ')
    if (!numbers.has(key)) numbers.set(key, numbers.size)
    return numbers.get(key)!
  })
  const { shape: meshShape, axisNames } = onTorus
  return { parameter: shown.name, shape: shown.shape, axisNames, meshShape, coordinates, slices, parts }
}

function roofline({ config, chip: name, rows, tokens, context, pass }: PlanAsked): PlanAnswer['roofline'] {
  const sizes = { batch: rows, sequence: tokens, ...(context > 0 ? { context } : {}) }
  return {
    critical: criticalIntensity(chip(name)),
    rows: operationBounds(config, { chip: name, pass, ...sizes }),
  }
}
