import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('../golden/stablehlo/texts/', import.meta.url)

/** The names of the programs in test/golden/stablehlo/texts. */
export const names: readonly string[] = readdirSync(folder)
  .filter((name) => name.endsWith('.generic.mlir'))
  .map((name) => name.slice(0, -'.generic.mlir'.length))

/** One of them, as jax writes it or as MLIR prints it in the generic spelling. */
export const textOf = (name: string, spelling: 'short' | 'generic' = 'short'): string =>
  readFileSync(new URL(`${name}${spelling === 'generic' ? '.generic' : ''}.mlir`, folder), 'utf8')

export const literals: readonly { literal: string; codes: readonly string[] }[] = JSON.parse(
  readFileSync(new URL('constants.json', folder), 'utf8'),
)
