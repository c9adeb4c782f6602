import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatNames } from 'tpu-toolkit/formats'
import { afterAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/experiments/drift/operations.js'
import { casesOfThisRun } from '../support/long.js'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'drift-formats-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Parsed {
  readonly ops: readonly { readonly op: string; readonly finding: string }[]
  readonly rows: readonly { readonly op: string; readonly input: string }[]
}

describe('drift, formats', () => {
  const few = ['float16', 'float8_e4m3fn', 'float4_e2m1fn']
  let trials: string | undefined
  it.each(casesOfThisRun(formatNames, (name) => few.includes(name)))(
    'runs every operation in %s',
    async (dtype) => {
      const { status, out } = await runCli(
        'drift',
        ...['--json', '--dtype', dtype, '--length', '16,64', '--out', join(folder, 'small')],
      )
      expect(status).toBe(0)
      const results = JSON.parse(out) as Parsed
      expect(results.ops.map(({ op }) => op)).toEqual(operations.map(({ name }) => name))
      // Every format has the same operations, inputs and lengths.
      const own = results.rows.map(({ op, input }) => `${op} ${input}`).join('\n')
      trials ??= own
      expect(own).toBe(trials)
      for (const { op, finding } of results.ops) {
        expect(finding, op).not.toMatch(/undefined|unknown|nan|NaN (%|off)/)
      }
    },
  )
})
