import { quantizationWays } from '../../tensors/blocks/index.js'

/** What `--only` takes. */
export const schemes: readonly string[] = [...new Set(quantizationWays.map(({ scheme }) => scheme))]
