import { blockWays } from './blockWays.js'
import { casts } from './casts.js'
import type { Way } from './way.js'

/** Every way of holding numbers in few bits, in the order of the report: formats from the widest on, then blocks. */
export const ways: readonly Way[] = [...casts, ...blockWays]

/** What `--only` takes. */
export const schemes: readonly string[] = [...new Set(ways.map(({ scheme }) => scheme))]
