import type { ProgramValue } from '../../programs/stablehlo/index.js'
import {
  type ElementStep,
  explain,
  findFirstNonFinite,
  graphOf,
  type NonFinite,
  record,
} from '../../tensors/autodiff/index.js'
import { siteOf } from '../../tensors/tensor/index.js'
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
  const placeOf = ({ index }: Pick<ElementStep, 'index'>): string | undefined => {
    const { output, op } = nodes[index] ?? {}
    if (op === 'input') return Object.keys(given).find((name) => given[name] === output)
    const site = output?.trace && siteOf(output.trace)
    return site?.replace(/:(\d+):\d+$/, ':$1')
  }
  const site = placeOf(event)
  const lines = explain(event)
    .split('\n')
    .map((line, i) => {
      const [, index] = /^ {2}(\d+): /.exec(line) ?? []
      const place = i === 0 ? site : index === undefined ? undefined : placeOf({ index: Number(index) })
      return place === undefined ? line : `${line} (${place})`
    })
  const text = [...lines, ...spaced(sourceLinesOf(lines.join('\n'), sources))].join('\n')
  return { event, site, text }
}

const spaced = (lines: readonly string[]): readonly string[] => (lines.length > 0 ? ['', ...lines] : [])
