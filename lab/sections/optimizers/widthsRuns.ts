import { coordinateCheck } from 'tpu-toolkit/optimizer'
import { parametrizations, type WidthsAsked, type WidthsRun } from './optimizersMessages.js'

/** The coordinate check of the three parametrizations at the same widths, one after the other. */
export function* widthsRuns({ widths, steps }: WidthsAsked): Generator<WidthsRun> {
  for (const parametrization of parametrizations) {
    const { outputs, slope } = coordinateCheck({ parametrization, widths, steps, seeds: [0] })
    yield { parametrization, outputs, slope }
  }
}
