import { type Finding, findingOf } from '../../experiments/failures/index.js'
import type { Tree } from '../../tensors/tree/index.js'
import { findingText } from '../doctor/doctorText.js'
import { jsonText } from '../io/jsonText.js'
import { printWrapped } from '../io/printWrapped.js'
import { readNumber } from '../io/readNumber.js'
import type { Terminal } from '../io/terminal.js'
import { asBadInput, openProgram, semanticsText } from '../programs/openProgram.js'
import type { SourceFiles } from '../programs/sourceFiles.js'
import type { ProgramGiven } from './programGiven.js'

/** `program tune`: the least to keep wide, as lines of the source and what to write there. */
export function tuneProgram(path: string, given: ProgramGiven, terminal: Terminal): number {
  const bits = given.target === undefined ? 0.5 : readNumber('target', given.target)
  const { name, program, inputs, sources } = openProgram(path, given)
  const f = (values: Tree): Tree => program.runNamed(values as never) as never
  const question = `${bits} bits of error in the mean`
  const finding = asBadInput(name, () =>
    findingOf(f, inputs as never, { question, target: { meanBits: bits } }, (trial, count) =>
      terminal.progress?.(count, count + 10, `trial ${count}, ${trial.stage}`),
    ),
  )
  if (given.json) {
    terminal.out(jsonText({ program: name, semantics: program.semantics, ...finding }))
  } else {
    const lines = [
      `${name}: ${semanticsText({ program })}`,
      '',
      findingText(finding, terminal.width),
      ...toWrite(finding, sources),
    ]
    printWrapped(terminal, `${lines.join('\n')}\n`)
  }
  return finding.tuning.met ? 0 : 1
}

/** The lines whose operations have to be wide, with the cast that makes them so. */
function toWrite({ tuning }: Finding, sources: SourceFiles): readonly string[] {
  if (!tuning.met || tuning.wide.length === 0) return []
  const sites = tuning.groups.filter(({ name }) => tuning.wide.includes(name)).flatMap((group) => group.sites)
  const places = [...new Set(sites.map((site) => site.replace(/:(\d+):\d+$/, ':$1')))]
  if (places.length === 0) return []
  const width = Math.max(...places.map((place) => place.length))
  return [
    '',
    `on these lines, .astype(jnp.${tuning.policy.dtype}) on the operands, and back on the result:`,
    ...places.map((place) => `  ${place.padEnd(width)}  ${sources.line(place) ?? ''}`.trimEnd()),
  ]
}
