import { explain, findFirstNonFinite, graphOf, type NonFinite, record } from '../../tensors/autodiff/index.js'
import type { Program, ProgramValue } from '../stablehlo/index.js'

/** Where the first value that is not finite came from. */
export interface NanOrigin {
  readonly event: NonFinite
  /** The source line of the operation; undefined where the text has none. */
  readonly site: string | undefined
  /** In words, a line for each operation, arguments by their names. */
  readonly lines: readonly string[]
}

/** Runs a program once, recorded; undefined where its results are finite. */
export function nanOrigin(
  program: Program,
  inputs: Readonly<Record<string, ProgramValue>>,
): NanOrigin | undefined {
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
  return { event, site, lines }
}
