import { BadInput } from '../io/badInput.js'
import { readNames } from '../io/readNames.js'
import { readInteger } from '../io/readNumber.js'
import { madeNames } from './made.js'
import { modelNames } from './modelData.js'
import { schemes } from './schemes.js'

/** What is to be measured. */
export interface FormatsOptions {
  readonly schemes: readonly string[]
  /** Whether codebooks are measured on weights: where no schemes were named. */
  readonly codebooks: boolean
  readonly data: readonly string[]
  /** The file whose tensors take the place of the model's. */
  readonly weights: string | undefined
  readonly seed: number
}

/** The options as they are typed. */
export interface GivenFormats {
  readonly codes?: true
  readonly json?: true
  readonly measure?: true
  readonly only?: string
  readonly data?: string
  readonly weights?: string
  readonly seed?: string
  readonly out?: string
}

/** What the tensors of `--weights` are called as data. */
export const fileName = 'file'

/** What `--data` takes, without `--weights`. */
export const dataNames: readonly string[] = [...madeNames, ...modelNames]

/** Reads the options of `--measure`. */
export function readFormatsOptions({ only, data, weights, seed = '0' }: GivenFormats): FormatsOptions {
  if (weights === '') throw new BadInput('--weights is not a file []')
  const known = weights === undefined ? dataNames : [fileName, ...madeNames]
  return {
    codebooks: only === undefined,
    schemes: only === undefined ? schemes : readNames('format or scheme', only, schemes),
    data: data === undefined ? known : readNames('data', data, known),
    weights,
    seed: readInteger('seed', seed, 0, 2 ** 32 - 1),
  }
}
