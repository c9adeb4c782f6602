import { BadInput, mistakesAsBadInput, readInteger, readNumber } from '../../io/index.js'
import { type Step2750Run, type SweepLists, sweepGrid } from '../../step2750/index.js'

/** The options as commander has them: lists of values, separated by commas. */
export interface GivenSweep {
  readonly experiment?: string
  readonly seed?: string
  readonly length?: string
  readonly gap?: string
  readonly steps?: string
  readonly dtype?: string
  readonly form?: string
  readonly cumsum?: string
  readonly broadcastSum?: string
  readonly zeroNans?: string
  readonly lr?: string
  readonly workers: string
  readonly out: string
  readonly json?: boolean
}

/** What is to be run, checked. */
export interface SweepRequest {
  readonly grid: readonly Step2750Run[]
  readonly workers: number
  readonly out: string
  readonly json: boolean
}

const numbers = ['seed', 'length', 'gap', 'steps', 'lr'] as const
const names = ['experiment', 'dtype', 'form', 'cumsum', 'broadcastSum'] as const

/** Reads the options. Every mistake is a BadInput. */
export function readSweep(given: GivenSweep): SweepRequest {
  const lists: Record<string, readonly unknown[]> = {}
  for (const name of names) {
    if (given[name] !== undefined) lists[name] = values(given[name])
  }
  for (const name of numbers) {
    if (given[name] !== undefined) lists[name] = values(given[name]).map((text) => readNumber(name, text))
  }
  if (given.zeroNans !== undefined) lists['zeroNans'] = values(given.zeroNans).map(yesOrNo)
  const workers = readInteger('workers', given.workers, 1, 256)
  const grid = mistakesAsBadInput('step2750', () => sweepGrid(lists as SweepLists))
  return { grid, workers, out: given.out, json: given.json ?? false }
}

function values(list: string): string[] {
  return list.split(',').map((value) => value.trim())
}

function yesOrNo(text: string): boolean {
  if (text !== 'yes' && text !== 'no') {
    throw new BadInput(`--zero-nans is not yes or no [${text.slice(0, 50)}]`)
  }
  return text === 'yes'
}
