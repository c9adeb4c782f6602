import { readFileSync } from 'node:fs'
import * as autodiff from 'tpu-toolkit/autodiff'
import * as losses from 'tpu-toolkit/losses'
import * as numerics from 'tpu-toolkit/numerics'
import * as optimizer from 'tpu-toolkit/optimizer'
import * as schedule from 'tpu-toolkit/schedule'
import { describe, expect, it } from 'vitest'
import { optaxNames, optaxPage, optaxReasons, ourNameOf } from '../../scripts/optaxNames.js'

const ours = new Set(
  [optimizer, schedule, losses, autodiff, numerics].flatMap((folder) => Object.keys(folder).map(ourNameOf)),
)
const theirs = Object.entries(optaxNames('.')).flatMap(([module, names]) =>
  names.map((name) => ({ module, name })),
)

describe("optax's public functions", () => {
  it('each of them is here under its name or has a reason why not, and none has both', () => {
    const wrong = theirs.filter(
      ({ name }) => ours.has(ourNameOf(name)) === (optaxReasons[name] !== undefined),
    )
    expect(wrong).toEqual([])
    expect(theirs.length).toBeGreaterThan(200)
  })
  it('every reason is of a function that optax has', () => {
    const names = new Set(theirs.map(({ name }) => name))
    expect(Object.keys(optaxReasons).filter((name) => !names.has(name))).toEqual([])
  })
  it('docs/optimizers.md has the table as npm run doors writes it', () => {
    const page = readFileSync('docs/optimizers.md', 'utf8')
    expect(optaxPage(page)).toBe(page)
  })
})
