import type { ProgramValue } from '../../programs/stablehlo/index.js'
import { explain, findFirstNonFinite, graphOf, type NonFinite, record } from '../../tensors/autodiff/index.js'
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
  const given: Readonly<Record<string, ProgramValue>> = record(inputs as never, { sites: true })
  const outputs = program.runNamed(given)
  const event = findFirstNonFinite(outputs as never)
  if (!event) return undefined
  const nodes = graphOf(outputs as never)
  const nameOf = (index: number): string | undefined => {
    const { output, op } = nodes[index] ?? {}
    return op === 'input' ? Object.keys(given).find((name) => given[name] === output) : undefined
  }
  const lines = explain(event)
    .split('\n')
    .map((line) => {
      const [, index] = /^ {2}(\d+): /.exec(line) ?? []
      const name = index === undefined ? undefined : nameOf(Number(index))
      return name === undefined ? line : `${line} (${name})`
    })
  const site = event.op === 'input' ? nameOf(event.index) : event.site?.replace(/:(\d+):\d+$/, ':$1')
  const text = [
    ...lines,
    ...spaced(sourceLinesOf(lines.join('\n').replace(/(\.\w+:\d+):\d+/g, '$1'), sources)),
  ].join('\n')
  return { event, site, text }
}

const spaced = (lines: readonly string[]): readonly string[] => (lines.length > 0 ? ['', ...lines] : [])
