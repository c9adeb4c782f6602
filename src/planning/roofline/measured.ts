import { type Measured, publishedRuns } from './published.js'

/** The published runs of dense models in bfloat16 on one slice that the constants of the generations are fitted on. */
export const measured: readonly Measured[] = publishedRuns.filter(isPlain).filter(({ fitted }) => fitted)

/** Measurements of models with 8 experts, of which 2 are active. */
export const measuredExperts: readonly Measured[] = publishedRuns.filter(
  ({ config, fitted }) =>
    fitted && config?.family === 'decoder' && config.experts === 8 && (config.active ?? 2) === 2,
)

/** Whether a run is of a dense model in bfloat16 on one slice. */
export function isPlain({ kind, dtype, slices = 1 }: Measured): boolean {
  return kind === 'dense' && dtype === 'bfloat16' && slices === 1
}
