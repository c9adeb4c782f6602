import { terminalText } from '../../base/text/index.js'
import type { Program, ProgramParameter } from '../stablehlo/index.js'

/** Which result goes on as which argument of the next step, by their names. */
export type Carried = ReadonlyMap<string, string>

interface Leaf {
  readonly parameter: ProgramParameter
  /** The name without its root: of `p['w0']` and `result[0]['w0']` it is `['w0']`. */
  readonly path: string
}

/**
 * The results of a step that are arguments of the next one. `asked` says which (`p=result[0],s=result[1]`, roots of names); where it is
 * true, a tree of results goes on as the first argument that is a tree of the same names, dtypes and shapes. A single array goes
 * on only where it is asked for: a batch is no result, and a loss no rate.
 */
export function carriedOf(program: Program, asked: string | true): Carried {
  const arguments_ = grouped(program.arguments, /^[^.[]*/)
  const results = new Map([
    ...grouped(program.results, /^result/),
    ...grouped(program.results, /^result(?:\[\d+\]|\.\w+|\['[^']*'\])/),
  ])
  const pairs = asked === true ? matching(arguments_, results) : named(asked, arguments_, results)
  const carried = new Map(
    pairs.flatMap(([argument, result]) =>
      arguments_.get(argument)!.map(({ parameter, path }): readonly [string, string] => {
        const found = results
          .get(result)!
          .find((leaf) => leaf.path === path && isSame(leaf.parameter, parameter))
        if (!found) {
          throw new RangeError(
            `carriedOf: ${terminalText(result)} has no ${terminalText(path || 'such value')} for ${terminalText(parameter.name)}`,
          )
        }
        return [parameter.name, found.parameter.name]
      }),
    ),
  )
  if (carried.size === 0) {
    throw new RangeError(
      `carriedOf: no result is a tree of an argument's names, dtypes and shapes: say which with --carry p=result[0] [${[...results.keys()].slice(0, 6).join(', ')}]`,
    )
  }
  return carried
}

/** What is carried, root by root: `p <- result[0] (4 tensors)`. */
export function carriedText(carried: Carried): string {
  const roots = new Map<string, number>()
  for (const [argument, result] of carried) {
    const root = rootOf(argument)
    const path = argument.slice(root.length)
    const key = `${root} <- ${path === '' ? result : result.slice(0, result.length - path.length)}`
    roots.set(key, (roots.get(key) ?? 0) + 1)
  }
  return [...roots]
    .map(([key, count]) => `${key} (${count} ${count === 1 ? 'tensor' : 'tensors'})`)
    .join(', ')
}

const rootOf = (name: string): string => /^[^.[]*/.exec(name)![0]

function grouped(parameters: readonly ProgramParameter[], root: RegExp): Map<string, readonly Leaf[]> {
  const groups = new Map<string, Leaf[]>()
  for (const parameter of parameters) {
    const [name] = root.exec(parameter.name) ?? []
    if (name === undefined) continue
    groups.set(name, [...(groups.get(name) ?? []), { parameter, path: parameter.name.slice(name.length) }])
  }
  return groups
}

function matching(
  arguments_: ReadonlyMap<string, readonly Leaf[]>,
  results: ReadonlyMap<string, readonly Leaf[]>,
): readonly (readonly [string, string])[] {
  const taken = new Set<string>()
  return [...arguments_].flatMap(([argument, leaves]) => {
    if (leaves.every(({ path }) => path === '')) return []
    const found = [...results].find(
      ([name, made]) =>
        !taken.has(name) &&
        made.length === leaves.length &&
        leaves.every((leaf) =>
          made.some((other) => leaf.path === other.path && isSame(leaf.parameter, other.parameter)),
        ),
    )
    if (!found) return []
    taken.add(found[0])
    return [[argument, found[0]] as const]
  })
}

function named(
  asked: string,
  arguments_: ReadonlyMap<string, readonly Leaf[]>,
  results: ReadonlyMap<string, readonly Leaf[]>,
): readonly (readonly [string, string])[] {
  return asked.split(',').map((pair) => {
    const at = pair.indexOf('=')
    const [argument, result] = [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
    if (at < 1) {
      throw new RangeError(`carriedOf: --carry takes pairs such as p=result[0] [${terminalText(pair)}]`)
    }
    for (const [name, groups, what] of [
      [argument, arguments_, 'argument'],
      [result, results, 'result'],
    ] as const) {
      if (!groups.has(name)) {
        throw new RangeError(
          `carriedOf: no such ${what}, there are ${[...groups.keys()].slice(0, 8).join(', ')} [${terminalText(name)}]`,
        )
      }
    }
    return [argument, result]
  })
}

function isSame(a: ProgramParameter, b: ProgramParameter): boolean {
  return a.dtype === b.dtype && a.isComplex === b.isComplex && a.shape.join() === b.shape.join()
}
