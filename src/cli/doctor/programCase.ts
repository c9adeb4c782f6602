import { shadow, suggestRewrites } from '../../precision/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { asBadInput, openProgram, type ProgramFlags, semanticsText } from '../programs/openProgram.js'
import { sourceLinesOf } from '../programs/sourceFiles.js'
import type { DoctorCase } from './doctorCases.js'

/** The case of a program as text, with its inputs: places in it are those of the program that was lowered. */
export function programCase(path: string, flags: ProgramFlags, ignore: readonly string[]): DoctorCase {
  const { name, program, inputs, drawn, sources } = openProgram(path, flags)
  const f = (given: Tree): Tree => program.runNamed(given as never) as never
  const { length } = drawn
  const notes = [
    ...(length === 0
      ? []
      : [
          `drawn with --random ${flags.random}: ${length === program.arguments.length ? 'every argument' : drawn.join(', ')}`,
        ]),
    semanticsText({ program }),
  ]
  return {
    id: name,
    title: name,
    ignore,
    notes,
    footnotes: (text) => sourceLinesOf(text, sources),
    examine: () =>
      asBadInput(name, () => ({
        // A text has no branches that Python could take otherwise: it is not run again to see.
        shadow: shadow(f, inputs as never, { check: false, sites: true }),
        rewriting: suggestRewrites(f, inputs as never, { ignore }),
        findings: [],
      })),
  }
}
