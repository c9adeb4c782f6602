import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { withoutEquivalents } from '../../scripts/equivalentMutants.js'
import { mutantSubjects } from '../../scripts/mutantSubjects.js'
import { mutantsOf } from '../../scripts/mutantsOf.js'
import { filesUnder, readText } from '../support/project.js'

describe('mutantSubjects', () => {
  it.each(Object.entries(mutantSubjects))(
    '%s has tests, mistakes, and none that is said to change nothing and is not there',
    (_, { files, tests, tables }) => {
      expect(tests.filter((path) => !existsSync(path))).toEqual([])
      const possible = files.flatMap((file) => mutantsOf(file, readText(`src/${file}`), tables))
      expect(withoutEquivalents(possible, files).length).toBeGreaterThan(0)
    },
  )

  it('has every table about operations', () => {
    const tables = filesUnder('src', '.ts').filter((path) => /: OpTable<.*> = \{/.test(readText(path)))
    const files = new Set(Object.values(mutantSubjects).flatMap(({ files }) => files))
    expect(tables.length).toBeGreaterThan(8)
    expect(tables.filter((path) => !files.has(path.replace('src/', '')))).toEqual([])
  })
})
