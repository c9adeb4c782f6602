import { createHash } from 'node:crypto'
import * as bf16 from 'tpu-toolkit/bf16'
import type { Step2750Data, Step2750Options, Step2750Record } from 'tpu-toolkit/step2750'
import { Columns } from './columns.js'

interface ExperimentKey {
  readonly length: number
  readonly rows: number
  readonly rate: number
  readonly step: number
  readonly gap: number | null
  readonly start: readonly [number, number, number | null]
  readonly lr: number
  readonly xy_sha256: string
}

interface RunKey {
  readonly steps_run: number
  readonly first_nonfinite_step: number | null
  readonly nonfinite_steps: number
  readonly loss_sha256: string
  readonly short_loss_sha256: string
}

const key = new Columns('ssm/step2750')
const facts = key.facts as unknown as {
  readonly short: number
  readonly experiments: Record<'gap' | 'uniform', ExperimentKey>
  readonly runs: Record<string, RunKey>
  readonly first_nonfinite_step_by_lr: readonly (readonly [number, number])[]
}

/** How many steps a short run of the key has. */
export const shortSteps: number = facts.short

/** Learning rates, and the first step that is not finite of the naive run at each. */
export const stepByRate: readonly (readonly [number, number])[] = facts.first_nonfinite_step_by_lr

/** The options of this package for every run of the key. */
export const variants: Readonly<Record<string, Step2750Options>> = {
  naive: {},
  naive_xlatree: { broadcastSum: 'windowed-32' },
  stable: { cumsum: 'stable' },
  stable_keep32: { cumsum: 'stable-keep' },
  kahan: { cumsum: 'kahan' },
  neumaier: { cumsum: 'neumaier' },
  rows16: { cumsum: 'blocked-16' },
  assoc: { cumsum: 'associative' },
  pair: { cumsum: 'pairwise' },
  clamp: { form: 'clamped' },
  pairdiff_mask_before: { form: 'pairwise' },
  pairdiff_mask_after: { form: 'pairwise-mask-after' },
  segsum: { form: 'segsum' },
  f32: { dtype: 'float32' },
  naive_clip_then_zero_nans: { zeroNans: true },
  uniform_naive: { experiment: 'uniform' },
  uniform_stable: { experiment: 'uniform', cumsum: 'stable' },
  uniform_rows16: { experiment: 'uniform', cumsum: 'blocked-16' },
}

/** The facts of one run. */
export function runKey(variant: string): RunKey {
  return facts.runs[variant]!
}

/** One recorded step: float32 bits, every NaN 7fc00000. */
export interface RecordKey {
  readonly step: number
  readonly bits: Pick<Step2750Record, 'paramsBits' | 'gradsBits' | 'normBits' | 'lossBits' | 'dtBits'> &
    Pick<Step2750Record, 'csEndBits' | 'ABits'>
  readonly paramsAfter: readonly string[]
}

/** The recorded steps of one run: rows of step, params, grads, norm, loss, dt_end, cs_end, A, params_after. */
export function recordKeys(variant: string): RecordKey[] {
  const words = key.u32(variant)
  const width = 1 + 5 + 5 + 5 + 5
  return Array.from({ length: words.length / width }, (_, row) => {
    const [step, ...rest] = words.subarray(row * width, (row + 1) * width)
    const bits = rest.map((word) => word.toString(16).padStart(8, '0'))
    const [normBits, lossBits, dtBits, csEndBits, ABits] = bits.slice(10, 15) as [
      string,
      string,
      string,
      string,
      string,
    ]
    return {
      step: step!,
      bits: {
        ...{ paramsBits: bits.slice(0, 5), gradsBits: bits.slice(5, 10) },
        ...{ normBits, lossBits, dtBits, csEndBits, ABits },
      },
      paramsAfter: bits.slice(15),
    }
  })
}

/** The data that a run of the key was made with: x given, y from the teacher's recurrence. */
export function keyData(experiment: 'gap' | 'uniform'): Step2750Data {
  const { rows, length, rate, step, gap, start } = facts.experiments[experiment]
  const x = new Columns('ssm/step2750_data').u16('x').slice(0, rows * length)
  const values = bf16.decode(x)
  // The program that made the data rounded y to float32 on its way to bfloat16.
  const outputs = new Float32Array(values.length)
  for (let at = 0, h = 0; at < values.length; at++) {
    const dt = at % length === 0 && gap !== null ? gap : step
    h = (at % length === 0 ? 0 : Math.exp(-rate * dt) * h) + dt * values[at]!
    outputs[at] = h
  }
  const [startRate, startStep, startGap] = start
  const inverse = (y: number): number => Math.log(Math.expm1(y))
  const bias = inverse(startStep)
  const clock = new Uint16Array(length)
  if (gap !== null) clock[0] = 0x3f80
  return {
    ...{ rows, length, x, y: bf16.encode(outputs), clock },
    init: Float32Array.of(Math.log(startRate), 1, 1, bias, startGap === null ? 0 : inverse(startGap) - bias),
  }
}

/** The sha256 that the key has for x and y, and that of these. */
export function dataSums(experiment: 'gap' | 'uniform'): { readonly key: string; readonly own: string } {
  const { x, y } = keyData(experiment)
  const hash = createHash('sha256')
  for (const codes of [x, y]) hash.update(bytes(codes))
  return { key: facts.experiments[experiment].xy_sha256, own: hash.digest('hex') }
}

/** The sha256 of losses as the key has it: float32 bits, little-endian, every NaN 7fc00000. */
export function lossSum(loss: Float32Array): string {
  return createHash('sha256')
    .update(bytes(loss.map((value) => (Number.isNaN(value) ? Number.NaN : value))))
    .digest('hex')
}

function bytes(array: Uint16Array | Float32Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}
