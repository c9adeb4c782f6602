import { chip, type Slice, slice } from 'tpu-toolkit/hardware'
import type { Ways } from 'tpu-toolkit/model'
import { lint, meshAxes, type PlanFinding, planTraining, tpuConfig } from 'tpu-toolkit/plan'
import { criticalIntensity, operationBounds } from 'tpu-toolkit/roofline'
import { createMesh, deviceSlices, type ParameterSharding } from 'tpu-toolkit/sharding'
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
  const { memory, step, sharding, largestBatch, ...plan } = planTraining(config, {
    ...{ slice: made, sequence, split, paramsDtype },
    ...(asked.batch > 0 ? { batch: asked.batch } : {}),
    remat,
  })
  const spread = typeof sharding === 'string' ? sharding : sharding.parameters
  return {
    ...{ parameters: plan.parameters, batch: plan.batch, largest: largestBatch !== null },
    memory: withoutSlice(memory),
    step: withoutSlice(step),
    tokensPerChip: plan.tokensPerChip,
    criticalTokensPerChip: plan.criticalTokensPerChip,
    sharding: spread,
    findings: orText(() => findings(asked, memory.split, plan.batch)),
    drawn: typeof spread === 'string' ? spread : orText(() => drawn(asked, made, memory.split, spread)),
  }
}

/** The page has the slice once. */
function withoutSlice<T extends { readonly slice: Slice }>({ slice: _, ...rest }: T): Omit<T, 'slice'> {
  return rest
}

/** The rules of the toolkits, of this slice, split and batch. */
function findings(
  { chip: version, config, paramsDtype, remat, sequence, topology }: PlanAsked,
  split: Ways,
  batch: number,
): readonly PlanFinding[] {
  const described = tpuConfig({
    ...{ version, topology, paramsDtype, axes: meshAxes(split), splitPhysicalAxes: true },
    remat,
  })
  return lint(described, config, { batch, sequence })
}

function drawn(
  { parameter }: PlanAsked,
  made: Slice,
  split: Ways,
  sharding: readonly ParameterSharding[],
): Drawn {
  const shown = sharding.find(({ name }) => name === parameter) ?? sharding[0]!
  const onTorus = createMesh(made, { axes: meshAxes(split), splitPhysicalAxes: true })
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
