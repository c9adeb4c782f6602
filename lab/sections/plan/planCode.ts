import type { TraceOptions } from 'tpu-toolkit/systolic'
import type { Environment, FlagLevel } from 'tpu-toolkit/xla'
import type { PlanAsked } from './planMessages.js'

/** A value as one writes it in a program. */
function literal(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`
  if (typeof value !== 'object' || value === null) return String(value)
  const entries = Object.entries(value).map(([name, one]) => `${name}: ${literal(one)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}

function quoted(text: string): string {
  return `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'").replace(/\n/g, '\\n')}'`
}

/** The program of the plan. */
export function planCode(asked: PlanAsked): string {
  const { config, chip, topology, batch, sequence, split, paramsDtype, remat } = asked
  const shared = { sequence, split, paramsDtype, remat: remat ?? 'block' }
  const size = batch === 0 ? 'const { batch } = findOptimalBatchSize(model, on)' : `const batch = ${batch}`
  return `import { slice } from 'tpu-toolkit/hardware'
import { estimateMemory${batch === 0 ? ', findOptimalBatchSize' : ''} } from 'tpu-toolkit/model'
import { trainingStep } from 'tpu-toolkit/roofline'

const model = ${literal(config)} as const
const on = { slice: slice('${chip}:${topology.join('x')}'), ${literal(shared).slice(2, -2)} } as const
${size}
const memory = estimateMemory(model, { ...on, batch })
console.log(on.slice.name, 'batch', batch, memory.split, memory.perDevice)
console.log('fits', memory.fits, memory.bytesPerDevice / 2 ** 30, 'GiB of', memory.usableBytesPerDevice / 2 ** 30)
const step = trainingStep(model, {
  slice: on.slice,
  batch,
  sequence: ${sequence},
  split: memory.split,${remat === undefined ? '' : `\n  remat: '${remat}',`}
})
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
