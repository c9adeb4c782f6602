import type { ProgramFlags } from '../programs/openProgram.js'

/** The options of `program`. */
export interface ProgramGiven extends ProgramFlags {
  readonly json?: boolean
  readonly out?: string
  readonly steps?: string
  readonly carry?: string | true
  readonly repeat?: string
  readonly chip?: string
  readonly target?: string
}
