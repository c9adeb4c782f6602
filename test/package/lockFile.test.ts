import { expect, it } from 'vitest'
import { readText } from '../support/project.js'

interface Locked {
  readonly integrity?: string
  readonly link?: boolean
  readonly inBundle?: boolean
}

it('package-lock.json has the digest of every package, those for other systems too', () => {
  const { packages }: { packages: Readonly<Record<string, Locked>> } = JSON.parse(
    readText('package-lock.json'),
  )
  const without = Object.entries(packages).filter(
    ([path, { integrity, link, inBundle }]) => path !== '' && !link && !inBundle && integrity === undefined,
  )
  expect(without.map(([path]) => path)).toEqual([])
})
