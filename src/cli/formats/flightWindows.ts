import { flightGaps } from '../../experiments/data/index.js'

/** Examples for a model: inputs row after row, and one number to predict for each row. */
export interface Examples {
  readonly inputs: Float32Array
  readonly targets: Float32Array
  readonly count: number
}

/** Numbers in a row of inputs: the gaps before, then waves of the time of day. */
export const inputWidth = 32
const waves = 4
const past = inputWidth - 2 * waves

/** Gaps whose mean logarithm is to be predicted. */
export const ahead = 16

/** The share of the table, from its beginning, that is for training. */
const trainingShare = 0.8
const minutesADay = 1440

/**
 * Windows of the gaps between departures: the last 24 gaps and the time of day, from which to predict the mean
 * logarithm of the next 16. Logarithms and targets are brought to mean 0 and variance 1 over the training part. The
 * time of day is that since the first departure, in minutes of the table's own clock.
 */
export function flightWindows(): { readonly training: Examples; readonly heldOut: Examples } {
  const cut = Math.floor(flightGaps.length * trainingShare)
  const logs = standardised(flightGaps.map(Math.log), 0, cut)
  const means = logs.map((_, i) => logs.slice(i, i + ahead).reduce((sum, x) => sum + x, 0) / ahead)
  const targets = standardised(means, past, cut - ahead + 1)
  const times = [0]
  for (const gap of flightGaps) times.push(times.at(-1)! + gap)
  return {
    training: examples(logs, targets, times, past, cut - ahead),
    heldOut: examples(logs, targets, times, cut + past, logs.length - ahead),
  }
}

/** Mean 0 and variance 1 over the places from `from` up to `to`. */
function standardised(values: readonly number[], from: number, to: number): number[] {
  const training = values.slice(from, to)
  const mean = training.reduce((sum, x) => sum + x, 0) / training.length
  const variance = training.reduce((sum, x) => sum + (x - mean) ** 2, 0) / training.length
  return values.map((x) => (x - mean) / Math.sqrt(variance))
}

function examples(
  logs: readonly number[],
  targets: readonly number[],
  times: readonly number[],
  from: number,
  to: number,
): Examples {
  const inputs: number[] = []
  for (let i = from; i <= to; i++) {
    inputs.push(...logs.slice(i - past, i))
    const phase = (2 * Math.PI * times[i]!) / minutesADay
    // Times the square root of 2, so that their variance is 1 as that of the logarithms.
    for (let wave = 1; wave <= waves; wave++) {
      inputs.push(Math.SQRT2 * Math.sin(wave * phase), Math.SQRT2 * Math.cos(wave * phase))
    }
  }
  const count = to - from + 1
  return {
    inputs: Float32Array.from(inputs),
    targets: Float32Array.from(targets.slice(from, to + 1)),
    count,
  }
}
