import { nanOrigin } from '../../programs/feeding/index.js'
import type { ProgramValue } from '../../programs/stablehlo/index.js'
import type { NonFinite } from '../../tensors/autodiff/index.js'
import type { ReadProgram } from '../programs/openProgram.js'
import { sourceLinesOf } from '../programs/sourceFiles.js'

/** Where the first value that is not finite came from: what was found, and in words with the program's lines. */
export interface NanFinding {
  readonly event: NonFinite
  /** The source line of the operation; undefined where the text has none. */
  readonly site: string | undefined
  readonly text: string
}

/** Runs the program once, recorded; undefined where its results are finite. */
export function nanFinding(
  { program, sources }: ReadProgram,
  inputs: Readonly<Record<string, ProgramValue>>,
): NanFinding | undefined {
  const found = nanOrigin(program, inputs)
  if (!found) return undefined
  const { event, site, lines } = found
  const text = [
    ...lines,
    ...spaced(sourceLinesOf(lines.join('\n').replace(/(\.\w+:\d+):\d+/g, '$1'), sources)),
  ].join('\n')
  return { event, site, text }
}

const spaced = (lines: readonly string[]): readonly string[] => (lines.length > 0 ? ['', ...lines] : [])
