import { carriedText, stepping } from '../../programs/feeding/index.js'
import { jsonText } from '../io/jsonText.js'
import { printWrapped } from '../io/printWrapped.js'
import { readCount } from '../io/readNumber.js'
import type { Terminal } from '../io/terminal.js'
import { asBadInput, openProgram, semanticsText } from '../programs/openProgram.js'
import { nanFinding } from './nanText.js'
import type { ProgramGiven } from './programGiven.js'
import { stepText } from './runProgramFile.js'

/** `program nan`: the first value that is not finite, and where it came from, line by line of the source. */
export function nanProgram(path: string, given: ProgramGiven, terminal: Terminal): number {
  const steps = given.steps === undefined ? 1 : readCount('steps', given.steps, 1)
  const opened = openProgram(path, given)
  const { name, program, drawn } = opened
  const stepped = asBadInput(name, () =>
    stepping(opened, steps, given.carry, (step) => terminal.progress?.(step - 1, steps, `step ${step}`)),
  )
  const finding =
    stepped.nonFinite === undefined ? undefined : asBadInput(name, () => nanFinding(opened, stepped.inputs))
  if (given.json) {
    const found = finding && { site: finding.site ?? null, ...finding.event }
    terminal.out(
      jsonText({
        program: name,
        semantics: program.semantics,
        drawn,
        steps,
        step: stepped.step,
        output: stepped.nonFinite ?? null,
        found: found ?? null,
      }),
    )
  } else {
    const lines = [
      `${name}: ${semanticsText({ program })}`,
      ...(drawn.length > 0
        ? [`drawn with --random ${given.random}: ${drawn.length} of ${program.arguments.length} arguments`]
        : []),
      ...(stepped.carried ? [`carried: ${carriedText(stepped.carried)}`] : []),
      ...(steps > 1 || !finding ? [stepText(stepped.step, steps, stepped.nonFinite)] : []),
      ...(finding ? ['', finding.text] : []),
    ]
    printWrapped(terminal, `${lines.join('\n')}\n`)
  }
  return finding ? 1 : 0
}
