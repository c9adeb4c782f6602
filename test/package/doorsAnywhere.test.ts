import { createContext, Script } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { bundle } from '../../scripts/bundles.js'
import { doors, isPortable } from '../../scripts/doors.js'
import { bundleForPage } from '../support/bundleForPage.js'
import { root } from '../support/project.js'
import { experimentsWork } from './experimentsWork.js'

const portable = doors.filter(isPortable).map(({ folder }) => folder)

/** What a page and Node both have; no Buffer, process or require among it. */
const web = Object.fromEntries(
  ['TextEncoder', 'TextDecoder', 'atob', 'btoa', 'performance', 'structuredClone', 'URL', 'crypto'].map(
    (name) => [name, Reflect.get(globalThis, name)],
  ),
)

/** Runs a program as a page's script, and returns what it gave `done`. */
const inAPage = (program: string): unknown => givenBy(bundleForPage(program))

/** What a script of a page gives `done`. */
function givenBy(script: string): unknown {
  let given: unknown
  const done = (value: unknown): void => {
    given = value
  }
  new Script(script).runInContext(createContext({ ...web, console, done }))
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

describe('tpu-toolkit/files in a page', () => {
  it('is bundled without Node, and reads a part of a safetensors file from its bytes', () => {
    const program = `
      import { encodeSafetensors, safetensorsOver } from 'tpu-toolkit/files'
      import { tensor } from 'tpu-toolkit/tensor'
      const bytes = encodeSafetensors({ w: tensor([1, 2, 3, 4], { dtype: 'bfloat16' }) })
      const file = safetensorsOver({ size: bytes.length, read: (at, n) => bytes.slice(at, at + n) })
      done(Array.from(file.readElements('w', 2, 4).toBits()))`
    expect(givenBy(bundle(program, root).text)).toEqual([0x4040, 0x4080])
  })

  it('has there what takes no path, and the types of all', () => {
    const { text } = bundle("import * as files from 'tpu-toolkit/files'\ndone(Object.keys(files))", root)
    const names = givenBy(text) as string[]
    expect(names).toEqual(expect.arrayContaining(['decodeNpy', 'decodeSafetensors', 'npyOver', 'treeToJson']))
    expect(names.filter((name) => /^(read|open|write)|File$/.test(name))).toEqual([])
  })
})
