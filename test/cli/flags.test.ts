import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chipNames } from 'tpu-toolkit/hardware'
import { flagLevels, lintFlags, xlaFlags } from 'tpu-toolkit/xla'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'flags-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(() => vi.unstubAllEnvs())

const json = async (...args: string[]) => JSON.parse((await runCli('flags', ...args, '--json')).out)

describe('flags', () => {
  it('prints what a shell exports, and --json the same, by generation and level', async () => {
    for (const hardware of chipNames) {
      for (const level of flagLevels) {
        const expected = xlaFlags({ hardware, level })
        expect((await json(hardware, '--level', level)).environment).toEqual(expected)
        const { status, out } = await runCli('flags', hardware, '--level', level)
        expect(status).toBe(0)
        const text = expected.LIBTPU_INIT_ARGS
        expect(out).toBe(text === undefined ? '# nothing to set\n' : `export LIBTPU_INIT_ARGS='${text}'\n`)
      }
    }
  })

  it('--experts, --wide-sums and --dump are options of xlaFlags', async () => {
    const { environment } = await json('v6e', '--experts', '--wide-sums', '--dump', '/tmp/hlo')
    const options = { mixtureOfExperts: true, reductions: 'float32', dumpTo: '/tmp/hlo' } as const
    expect(environment).toEqual(xlaFlags({ hardware: 'v6e', ...options }))
    expect(lintFlags(environment, { hardware: 'v6e' })).toEqual([])
  })

  it('--keep adds to what is set, and does not depend on it otherwise', async () => {
    vi.stubEnv('LIBTPU_INIT_ARGS', '--xla_enable_async_all_gather=false')
    expect((await runCli('flags', 'v4', '--keep')).out).toBe(
      "export LIBTPU_INIT_ARGS='--xla_enable_async_all_gather=false'\n",
    )
    expect((await runCli('flags', 'v4')).out).toBe(
      "export LIBTPU_INIT_ARGS='--xla_enable_async_all_gather=true'\n",
    )
    vi.stubEnv('XLA_FLAGS', '--xla_enable_async_all_gather=true')
    expect(await runCli('flags', 'v4', '--keep')).toEqual({
      status: 2,
      out: '',
      error:
        'flags: what is set in XLA_FLAGS would end the process: it belongs to LIBTPU_INIT_ARGS [--xla_enable_async_all_gather=true]\n',
    })
  })

  it('--lint says what is wrong with what is set, or that nothing is', async () => {
    vi.stubEnv('XLA_FLAGS', undefined)
    vi.stubEnv('LIBTPU_INIT_ARGS', '--xla_tpu_bf16_reduction=false')
    const { findings } = await json('--lint')
    expect(findings).toMatchObject([
      { effect: 'ends the process', instead: '--xla_jf_bf16_inside_cross_replica_sum=false' },
    ])
    expect((await runCli('flags', '--lint')).out).toContain('ends the process')
    vi.stubEnv('LIBTPU_INIT_ARGS', '--xla_tpu_enable_megacore_fusion=true')
    expect((await runCli('flags', '--lint')).out).toBe('Nothing is wrong with them.\n')
    expect((await json('v5e', '--lint')).findings).toMatchObject([{ problem: 'not for this chip' }])
  })

  it('--explain, --tips and --out tell the same in tables and on a page', async () => {
    expect((await runCli('flags', 'v5e', '--explain')).out).toContain('asynchronous all-gather')
    expect((await runCli('flags', '--tips')).out).toContain('--xla_force_host_platform_device_count=8')
    const path = join(folder, 'flags.html')
    expect((await runCli('flags', 'v5e', '--tips', '--out', path)).status).toBe(0)
    const page = readFileSync(path, 'utf8')
    expect(page).toContain('<title>Flags for TPU v5e</title>')
    expect(page).toContain('xla_tpu_enable_async_collective_fusion')
    expect(page).toContain('--xla_force_host_platform_device_count=8')
  })

  it.each([
    [['v9'], 'flags: unknown chip, there are v2, v3, v4, v5e, v5p, v6e, tpu7x [v9]\n'],
    [[], 'flags: needs a generation: v2, v3, v4, v5e, v5p, v6e, tpu7x [none]\n'],
    [['v4', '--level', 'max'], 'flags: unknown level [max], there are none, basic, standard, aggressive\n'],
    [['v4', '--dump', 'a b'], "flags: dumpTo is not a folder's name without spaces [a b]\n"],
  ])('flags %j exits 2 with one line', async (args, error) =>
    expect(await runCli('flags', ...args)).toEqual({ status: 2, out: '', error }),
  )
})
