import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { inFolder, newFolder } from '../harness.js'
import { mayFreeze, mayMount, troubles } from './troubles.js'
import { victims } from './victims.js'

// npm run test:disks -- [--only train,sweep] [--trouble full,clock]
//
// Who writes for long, on disks that fail: full, read-only, taken away, stopped for a while, and with a clock that jumps. What is
// wrong is said, what was said to be there is, nothing else is left, and begun again it ends with the bytes of a run that
// nothing happened to. As root (or under `unshare -rm`) with real disks; what cannot be made is said, never passed over.

const { values } = parseArgs({ options: { only: { type: 'string' }, trouble: { type: 'string' } } })
const chosen = (name: string, given: string | undefined): boolean =>
  given === undefined || given.split(',').includes(name)
await inFolder('disks', async (top, attempt) => {
  for (const { name, how, make } of troubles(mayMount(top), mayFreeze(top))) {
    if (!chosen(name, values.trouble)) continue
    console.log(`${name}: ${make === undefined ? `NOT TRIED, ${how}` : how}`)
    for (const victim of make === undefined ? [] : victims) {
      if (!chosen(victim.name, values.only)) continue
      const folder = newFolder(top, `${name}-${victim.name}`)
      await attempt(`  ${victim.name.padEnd(12)}`, () => make!(victim, folder), 'FAILED: ')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  }
})
