import type { TraceOptions } from 'tpu-toolkit/systolic'
import type { Environment, FlagLevel } from 'tpu-toolkit/xla'
import { literal } from '../../parts/literal.js'
import type { PlanAsked } from './planMessages.js'

/** The program of the plan. */
export function planCode({ config, chip, topology, batch, ...asked }: PlanAsked): string {
  const { sequence, split, paramsDtype, remat } = asked
  const options = {
    ...{ slice: `${chip}:${topology.join('x')}`, sequence, split, paramsDtype },
    ...(batch === 0 ? {} : { batch }),
    remat,
  }
  return `import { planTraining } from 'tpu-toolkit/plan'

const model = ${literal(config)} as const
const { slice, batch, memory, step } = planTraining(model, ${literal(options)})
console.log(slice, 'batch', batch, memory.split, memory.perDevice)
console.log('fits', memory.fits, memory.bytesPerDevice / 2 ** 30, 'GiB of', memory.usableBytesPerDevice / 2 ** 30)
console.log(step.seconds, 'bound by', step.boundBy, 'about', step.estimateSeconds, 's')
`
}

/** The program of the sharding. */
export function shardingCode(
  { config, chip, topology, parameter }: PlanAsked,
  axes: Readonly<Record<string, number>>,
): string {
  return `import { createMesh, deviceSlices, shardingStrategy } from 'tpu-toolkit/sharding'

const mesh = createMesh('${chip}:${topology.join('x')}', { axes: ${literal(axes)}, splitPhysicalAxes: true })
const { parameters } = shardingStrategy(mesh, ${literal(config)}, { strategy: ${literal(Object.keys(axes))} as never })
for (const { name, shape, spec, shardShape, replicas } of parameters) console.log(name, shape, spec, shardShape, replicas)
const shown = parameters.find(({ name }) => name === '${parameter}') ?? parameters[0]!
console.log('device 0 holds', deviceSlices(mesh, shown.spec, shown.shape)[0], 'of', shown.name)
`
}

/** The program of the roofline. */
export function rooflineCode({ config, chip, rows, tokens, context, pass }: PlanAsked): string {
  const sizes = { batch: rows, sequence: tokens, ...(context > 0 ? { context } : {}) }
  return `import { operationBounds } from 'tpu-toolkit/roofline'

const rows = operationBounds(${literal(config)}, ${literal({ chip, pass, ...sizes })})
for (const { name, pass, intensity, seconds, boundBy } of rows) console.log(name, pass, intensity, seconds, boundBy)
`
}

/** The program of the systolic array. */
export function systolicCode(options: TraceOptions): string {
  return `import { trace } from 'tpu-toolkit/systolic'

const { frames, product } = trace(${literal(options)})
for (const { cycle, phase, cells } of frames) {
  console.log(cycle, phase, cells.map((row) => row.map(({ sum }) => sum ?? '.').join(' ')).join(' | '))
}
console.log(product)
`
}

/** The program of the flags. */
export function flagsCode(given: {
  readonly hardware: string
  readonly level: FlagLevel
  readonly experts: boolean
  readonly wide: boolean
  readonly own: Environment
}): string {
  const { hardware, level, experts, wide, own } = given
  const options = {
    ...{ hardware, level },
    ...(experts ? { mixtureOfExperts: true } : {}),
    ...(wide ? { reductions: 'float32' } : {}),
  }
  return `import { lintFlags, xlaFlags } from 'tpu-toolkit/xla'

console.log(xlaFlags(${literal(options)}))
const own = ${literal(own)}
for (const { text, effect, message, instead } of lintFlags(own, { hardware: '${hardware}' })) {
  console.log(text, effect, message, instead)
}
`
}
