import { readFileSync } from 'node:fs'
import * as schedules from 'tpu-toolkit/schedule'

type Args = Readonly<Record<string, unknown>>

/** A schedule of the key, with what optax gave operation by operation in float32, and the formula's float64. */
export interface ScheduleKey {
  readonly title: string
  readonly kind: string
  readonly args: Args
  readonly steps: readonly number[]
  readonly eager: readonly number[]
  readonly f64: readonly number[]
}

interface StoredKey {
  readonly name: string
  readonly kind: string
  readonly args: Args
  readonly steps: readonly number[]
  readonly steps_are: 'range_inclusive' | 'list'
  readonly eager: string
  readonly f64: string
}

const file = new URL('../golden/optimizer/schedules.json', import.meta.url)
const stored: { schedules: readonly StoredKey[] } = JSON.parse(readFileSync(file, 'utf8'))

function words(text: string, digits: 8 | 16): number[] {
  const view = new DataView(new ArrayBuffer(8))
  return Array.from({ length: text.length / digits }, (_, i) => {
    view.setBigUint64(0, BigInt(`0x${text.slice(i * digits, (i + 1) * digits).padEnd(16, '0')}`))
    return digits === 8 ? view.getFloat32(0) : view.getFloat64(0)
  })
}

export const scheduleKeys: readonly ScheduleKey[] = stored.schedules.map((key, i) => {
  const [first = 0, last = 0] = key.steps
  const range = Array.from({ length: last - first + 1 }, (_, step) => first + step)
  return {
    title: `${i} ${key.name}`,
    kind: key.kind,
    args: key.args,
    steps: key.steps_are === 'list' ? key.steps : range,
    eager: words(key.eager, 8),
    f64: words(key.f64, 16),
  }
})

const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
/** What the keys say besides optax's arguments; of the restarts with doubling cycles, what follows from them too. */
const remarks = ['kind', 'variant', 'power_is_int', 'periods', 'boundaries', 'schedule_end']
const options = (args: Args): Args =>
  Object.fromEntries(
    Object.entries(args)
      .filter(([name]) => !remarks.includes(name))
      .map(([name, value]) => [camel(name), value]),
  )

const factories = Object.fromEntries(Object.entries(schedules)) as unknown as Readonly<
  Record<string, (args: Args) => schedules.Schedule>
>

/** The schedule of that kind, made through the public door from optax's argument names. */
export function make(kind: string, args: Args): schedules.Schedule {
  if (kind === 'sgdr') {
    const cycles = (args['cosine_kwargs'] as readonly Args[]).map(options)
    return schedules.sgdrSchedule(cycles as unknown as schedules.WarmupCosineDecayOptions[])
  }
  if (kind === 'join') {
    const parts = (args['parts'] as readonly (Args & { kind: string })[]).map((part) => make(part.kind, part))
    return schedules.joinSchedules(parts, args['boundaries'] as number[])
  }
  if (kind === 'sgdr_doubling') {
    const remainder = args['variant'] === 'naive_floor' ? 'drop' : 'last-cycle'
    return schedules.doublingRestartsSchedule({
      ...(options(args) as unknown as schedules.DoublingRestartsOptions),
      remainder,
    })
  }
  const name = kind === 'exponential_decay' ? 'exponentialDecay' : `${camel(kind)}Schedule`
  const factory = factories[name]!
  return factory(options(args))
}
