import {
  checkArray,
  checkOptions,
  checkRecord,
  noOptions,
  type OptionTable,
  shown,
} from '../../base/options/index.js'
import { makeTrial, type Params, type ParamValue } from './trial.js'
import { choices, gridValues, isRange, type ValueRange, valueAt } from './values.js'

/** What each parameter may be: a list of values, or `log`, `linear`, `integers` of two ends. */
export type Space = Readonly<Record<string, readonly ParamValue[] | ValueRange>>

/** Which configurations of a space are tried; with rungs, how far each is run at first, and then. */
export interface Search {
  readonly name: 'grid' | 'random' | 'sobol' | 'asha'
  /** The configurations in the order in which they are tried, each once. */
  readonly configurations: (space: Space) => readonly Params[]
  readonly rungs?: {
    /** One in `eta` is promoted. */
    readonly eta: number
    /** How far a trial of each rung runs, growing. */
    readonly steps: readonly number[]
  }
}

/** `grid` has no options yet. */
export type GridOptions = Readonly<Record<never, never>>

const gridNames: OptionTable<GridOptions> = {}

/**
 * Every combination of the values; the last parameter varies fastest. Ranges need `points`, but those of whole numbers.
 *
 * Throws    the search throws a RangeError for a range that does not say how many of its values, and for more than a million
 *           combinations.
 *
 * @example grid().configurations({ lr: [1, 2], width: integers(7, 8) }) // [{ lr: 1, width: 7 }, { lr: 1, width: 8 }, { lr: 2, width: 7 }, { lr: 2, width: 8 }]
 */
export function grid(options: GridOptions = noOptions): Search {
  checkOptions('grid', options, gridNames)
  return {
    name: 'grid',
    configurations: (space) => {
      checkSpace('grid', space)
      let combinations: Params[] = [{}]
      for (const [name, values] of Object.entries(space)) {
        const listed = gridValues(values)
        if (listed === undefined) {
          throw new RangeError(`grid: a range without points, give them or search at random [${name}]`)
        }
        if (combinations.length * listed.length > 1e6) {
          throw new RangeError(`grid: more than a million combinations [${Object.keys(space).join(', ')}]`)
        }
        combinations = combinations.flatMap((rest) => listed.map((value) => ({ ...rest, [name]: value })))
      }
      return each(combinations)
    },
  }
}

/**
 * Configurations at points of the unit cube, one coordinate for each parameter that has a choice: in the order of their
 * names, so that it does not matter how they are written down.
 */
export function atPoints(
  op: string,
  space: Space,
  count: number,
  point: (index: number, dimensions: number) => ArrayLike<number>,
): Params[] {
  checkSpace(op, space)
  const varied = Object.keys(space).filter((name) => choices(space[name]!) > 1)
  const place = new Map(varied.sort().map((name, i) => [name, i]))
  const drawn = Array.from({ length: count }, (_, index) => {
    const coordinates = point(index, varied.length)
    return Object.fromEntries(
      Object.entries(space).map(([name, values]) => [
        name,
        valueAt(values, coordinates[place.get(name)!] ?? 0),
      ]),
    )
  })
  return each(drawn)
}

/** Each once: a draw may hit a configuration again where there are few. */
function each(configurations: readonly Params[]): Params[] {
  return [...new Map(configurations.map((params) => [makeTrial(params).key, params])).values()]
}

/** Throws unless this is a space: a record of lists that are not empty, or of ranges. */
export function checkSpace(op: string, space: Space): void {
  checkRecord(op, 'space', space)
  for (const [name, values] of Object.entries(space)) {
    if (typeof values !== 'object' || values === null) {
      throw new TypeError(`${op}: ${name} is neither a list of values nor a range [${shown(values)}]`)
    }
    if (isRange(values)) continue
    checkArray(op, name, values)
    if (values.length === 0) throw new RangeError(`${op}: a list without values [${name}]`)
    for (const value of values) makeTrial({ [name]: value })
  }
}
