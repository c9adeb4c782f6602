import type { ProgramFlags } from '../programs/openProgram.js'

/** What `program` is told. */
export interface ProgramGiven extends ProgramFlags {
  readonly json?: boolean
  readonly out?: string
  readonly steps?: string
  readonly carry?: string | true
  readonly repeat?: string
  readonly chip?: string
  readonly target?: string
}
