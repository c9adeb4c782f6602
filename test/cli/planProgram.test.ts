import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from '../support/runCli.js'

const golden = 'test/golden/planning/programs/'
const folder = mkdtempSync(join(tmpdir(), 'plan-program-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Printed {
  readonly flops: number
  readonly devices: number
  readonly mesh: Record<string, number>
  readonly products: readonly {
    readonly site: string
    readonly runs: number
    readonly batch: number
    readonly m: number
    readonly k: number
    readonly n: number
    readonly local: { readonly batch: number; readonly m: number; readonly k: number; readonly n: number }
    readonly passes: number
    readonly dtype: string
  }[]
  readonly audit: readonly {
    readonly site: string
    readonly line: string | null
    readonly evidence: string
  }[]
  readonly values: readonly { readonly name: string; readonly shardShape: readonly number[] }[]
}

const plan = async (path: string, ...more: string[]): Promise<Printed> =>
  JSON.parse((await runCli('plan', '--program', path, '--json', ...more)).out)

interface Facts {
  readonly products: readonly (readonly number[])[]
  readonly partitioned: readonly (readonly number[])[]
  readonly shards: readonly (readonly number[])[]
}
const { programs } = JSON.parse(readFileSync(`${golden}programs.json`, 'utf8')) as {
  programs: Record<string, Facts>
}

/** As lists of numbers in one order; how often each runs counts as so many, where the other side has no runs. */
const sorted = (lists: readonly (readonly number[])[]): string[] => lists.map((list) => list.join(' ')).sort()

describe("plan --program, against JAX's programs and XLA's partitioner", () => {
  it.each(Object.keys(programs))('%s: products, and their sizes on each device', async (name) => {
    const { products, partitioned, shards } = programs[name]!
    const found = await plan(`${golden}${name}.mlir`)
    expect(found.devices).toBe(8)
    const one = products.map(([batch, m, k, n, runs]) => [batch!, m!, k!, n!].concat(runs!))
    const rows = found.products.flatMap((row) => {
      const again = name === 'scan' ? 1 : row.runs
      return Array.from({ length: again }, () => row)
    })
    expect(
      sorted(rows.map(({ batch, m, k, n, runs }) => [batch, m, k, n, name === 'scan' ? runs : 1])),
    ).toEqual(sorted(one))
    // XLA may turn a product around: [m, k] x [k, n] or its transpose.
    const either = (batch: number, m: number, k: number, n: number): number[] => [
      ...[batch, Math.min(m, n), k],
      Math.max(m, n),
    ]
    expect(sorted(rows.map(({ local: { batch, m, k, n } }) => either(batch, m, k, n)))).toEqual(
      sorted(partitioned.map(([batch, m, k, n]) => either(batch!, m!, k!, n!))),
    )
    expect(found.values.slice(0, shards.length).map(({ shardShape }) => shardShape)).toEqual(shards)
  })

  it('has a file for each of them', () => {
    expect(readdirSync(golden).filter((file) => file.endsWith('.mlir'))).toHaveLength(
      Object.keys(programs).length,
    )
  })
})

describe('plan --program', () => {
  it('names the Python line of each padded product, with its text', async () => {
    const { audit, products } = await plan('examples/jax/transformer.mlir', '--chip', 'v5p')
    expect(products.reduce((sum, { m, k, n, batch, runs }) => sum + 2 * batch * m * k * n * runs, 0)).toBe(
      200_448,
    )
    expect(audit[0]).toMatchObject({
      site: 'transformer.py:20',
      line: "q, k, v = h @ p['query'], h @ p['key'], h @ p['value']",
    })
    expect(audit[0]?.evidence).toContain('k of 16 is padded to 128')
    expect(audit.map(({ site }) => site)).toContain('transformer.py:28')
  })

  it('prints a text and writes a page with the same', async () => {
    const page = join(folder, 'plan.html')
    const { status, out } = await runCli(
      'plan',
      '--program',
      `${golden}mlp_megatron.mlir`,
      '--chip',
      'v6e',
      '--out',
      page,
    )
    expect(status).toBe(0)
    for (const said of ['mlp_megatron.mlir on 8 devices of v6e (data 2, model 4)', '16x24x64', 'Assumed:']) {
      expect(out).toContain(said)
    }
    expect(existsSync(page)).toBe(true)
    const html = readFileSync(page, 'utf8')
    for (const said of ['What bounds it', 'program_plan.py:', '16x24x64']) expect(html).toContain(said)
  })

  it.each([
    [['--program', 'none.mlir'], 'no such file'],
    [['llama3-8b', '--program', `${golden}scan.mlir`], '--program stands in place of a model'],
    [['--program', `${golden}scan.mlir`, '--batch', '3'], '--batch is not for --program'],
    [['--program', `${golden}scan.mlir`, '--chip', 'v9'], 'unknown chip'],
    [['--program', 'examples/onnx/layer_norm.onnx'], 'StableHLO only'],
    [['llama3-8b', '--chip', 'v5p'], '--chip belongs to --program'],
    [[], 'no model, and neither --program nor --claims'],
  ])('%j is bad input', async (args, text) => {
    const { status, error } = await runCli('plan', ...args)
    expect(status).toBe(2)
    expect(error).toContain(text)
  })
})
