import { createContext, Script } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { doors, isPortable } from '../../scripts/doors.js'
import { bundleForPage } from '../support/bundleForPage.js'
import { experimentsWork } from './experimentsWork.js'

const portable = doors.filter(isPortable).map(({ folder }) => folder)

/** What a page and Node both have; no Buffer, process or require among it. */
const web = Object.fromEntries(
  ['TextEncoder', 'TextDecoder', 'atob', 'btoa', 'performance', 'structuredClone', 'URL', 'crypto'].map(
    (name) => [name, Reflect.get(globalThis, name)],
  ),
)

/** Runs a program as a page's script, and returns what it gave `done`. */
function inAPage(program: string): unknown {
  let given: unknown
  const done = (value: unknown): void => {
    given = value
  }
  new Script(bundleForPage(program)).runInContext(createContext({ ...web, console, done }))
  return given
}

describe('every door that runs anywhere', () => {
  it('is bundled for a browser, and loads where Node is not: no node: module, no Buffer, no process', () => {
    const imports = portable.map((folder) => `import * as ${folder} from 'tpu-toolkit/${folder}'`)
    const counts = `[${portable.join(', ')}].map((door) => Object.keys(door).length)`
    const given = inAPage(`${imports.join('\n')}\ndone(${counts})`)
    expect(given).toHaveLength(portable.length)
    expect(given).not.toContain(0)
  })

  it('has the experiments among it, and they give there what they give in Node', () => {
    expect(portable).toEqual(expect.arrayContaining(['step2750', 'drift', 'failures', 'precision', 'plan']))
    const program =
      "import { experimentsWork } from './test/package/experimentsWork.ts'\ndone(experimentsWork())"
    expect(inAPage(program)).toBe(experimentsWork())
  })
})
