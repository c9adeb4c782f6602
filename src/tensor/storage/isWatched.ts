import { observer } from './observe.js'
import { recordsEverything } from './recordEverything.js'

/** Whether somebody wants to see every operation: `observe` or `recordEverything` runs. */
export function isWatched(): boolean {
  return observer() !== undefined || recordsEverything() !== undefined
}
