import { observer } from './observe.js'
import { recordsEverything } from './recordEverything.js'
import { substitution } from './substitute.js'

/** Whether somebody wants to see or replace every operation: `observe`, `recordEverything` or `substitute` runs. */
export function isWatched(): boolean {
  return observer() !== undefined || recordsEverything() !== undefined || substitution() !== undefined
}
