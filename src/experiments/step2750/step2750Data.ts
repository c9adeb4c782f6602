import { checkRecord } from '../../base/options/index.js'
import * as bf16 from '../../bf16/index.js'
import { key, normal } from '../../tensors/random/index.js'
import { type Experiment, experiments, softplusInverse } from './experiments.js'
import { parameterNames } from './parameters.js'
import { checkRun, type Step2750Run } from './step2750Options.js'

/** The sequences of a run and the parameters it begins with; x, y and the clock are bfloat16 codes. */
export interface Step2750Data {
  readonly rows: number
  readonly length: number
  /** [rows, length] */
  readonly x: Uint16Array
  /** [rows, length] */
  readonly y: Uint16Array
  /** [rows, length], or [1, length] where all rows share it. */
  readonly clock: Uint16Array
  /** In the order of `parameterNames`, float32. */
  readonly init: Float32Array
}

/** Throws a TypeError unless these are data of the experiment, as `drawData` and `readData` give them. */
export function checkData(op: string, data: Step2750Data): void {
  checkRecord(op, 'data', data, ['rows', 'length', 'x', 'y', 'clock', 'init'])
}

/**
 * Draws the data of an experiment: x standard normal, y the outputs of the teacher's recurrence in float64 on the rounded
 * x and clock, both rounded to bfloat16 once. The same seed gives the same bits.
 */
export function drawData(run: Step2750Run): Step2750Data {
  checkRun('drawData', run)
  const { experiment: name, length, gap, seed } = run
  const experiment = experiments[name]
  const { rows, start, teacher, sharedClock } = experiment
  const x = bf16.encode(normal(key(seed), rows * length))
  const values = bf16.decode(x)
  const outputs = new Float64Array(rows * length)
  const clocks = Array.from({ length: sharedClock ? 1 : rows }, (_, row) =>
    experiment.clock(row, length).map(bf16.round),
  )
  for (let row = 0; row < rows; row++) {
    const steps = teacherSteps(experiment, clocks[sharedClock ? 0 : row]!, gap)
    let h = 0
    for (let i = 0, at = row * length; i < length; i++, at++) {
      h = Math.exp(-teacher.rate * steps[i]!) * h + steps[i]! * values[at]!
      outputs[at] = h
    }
  }
  const bias = softplusInverse(start.step)
  const init = { aLog: Math.log(start.rate), b: 1, c: 1, dtBias: bias, dtGap: experiment.dtGap(bias, gap) }
  return {
    rows,
    length,
    x,
    y: bf16.encode(outputs),
    clock: bf16.encode(Float64Array.from(clocks.flatMap((clock) => [...clock]))),
    init: Float32Array.from(parameterNames, (parameter) => init[parameter]),
  }
}

/** softplus(g dt_gap + dt_bias) of the teacher, exactly its usual step where the clock is 0. */
function teacherSteps({ teacher, dtGap }: Experiment, clock: Float64Array, gap: number | null): Float64Array {
  const bias = softplusInverse(teacher.step)
  return clock.map((g) => {
    if (g === 0) return teacher.step
    return g === 1 && gap !== null ? gap : Math.log1p(Math.exp(g * dtGap(bias, gap) + bias))
  })
}
