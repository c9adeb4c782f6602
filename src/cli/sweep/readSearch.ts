import { asha, grid, random, type Search, sobol } from '../../experiments/sweep/index.js'
import { key } from '../../tensors/random/index.js'
import { BadInput } from '../io/badInput.js'
import { readName } from '../io/readNames.js'
import { readInteger } from '../io/readNumber.js'

/** The options of the search, as commander has them. */
export interface GivenSearch {
  readonly search?: string
  readonly trials?: string
  readonly searchSeed?: string
  readonly over?: string
  readonly eta?: string
  readonly minSteps?: string
  readonly maxSteps?: string
}

const lists = ['grid', 'random', 'sobol'] as const
const names = [...lists, 'asha'] as const

/** Reads which configurations are tried. An option that the search does not look at is a mistake. */
export function readSearch(given: GivenSearch): Search {
  const name = readName('search', given.search ?? 'grid', names)
  if (name !== 'asha') {
    unused(given, { over: 'over', eta: 'eta', minSteps: 'min-steps', maxSteps: 'max-steps' }, name)
    return listSearch(name, given)
  }
  const { eta = '3', minSteps, maxSteps } = given
  if (minSteps === undefined || maxSteps === undefined) {
    throw new BadInput('--search asha asks how far trials run at first and at most: --min-steps, --max-steps')
  }
  const least = readInteger('min-steps', minSteps, 1, 1e12)
  return asha({
    over: listSearch(readName('search of --over', given.over ?? 'random', lists), given),
    eta: readInteger('eta', eta, 2, 1000),
    minSteps: least,
    maxSteps: readInteger('max-steps', maxSteps, least, 1e12),
  })
}

function listSearch(name: (typeof lists)[number], given: GivenSearch): Search {
  if (name === 'grid') {
    unused(given, { trials: 'trials', searchSeed: 'search-seed' }, name)
    return grid()
  }
  const trials = readInteger('trials', given.trials ?? '32', 1, 1e6)
  const seed = readInteger('search-seed', given.searchSeed ?? '0', 0, 2 ** 32 - 1)
  if (name === 'random') return random({ trials, key: key(seed) })
  return sobol({ trials, ...(given.searchSeed === undefined ? {} : { key: key(seed) }) })
}

function unused(given: GivenSearch, flags: Partial<Record<keyof GivenSearch, string>>, search: string): void {
  for (const [name, flag] of Object.entries(flags)) {
    const value = given[name as keyof GivenSearch]
    if (value !== undefined) throw new BadInput(`--${flag} says nothing of --search ${search} [${value}]`)
  }
}
