import { quantizationWays } from 'tpu-toolkit/blocks'

/** What `--only` takes. */
export const schemes: readonly string[] = [...new Set(quantizationWays.map(({ scheme }) => scheme))]
