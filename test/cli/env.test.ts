import { describe, expect, it } from 'vitest'
import { runCli } from '../support/runCli.js'

describe('env', () => {
  it('env --json tells of every part what was found, null where nothing was', async () => {
    const { status, out } = await runCli('env', '--json')
    expect(status).toBe(0)
    const { parts } = JSON.parse(out) as { parts: { part: string; found: string | null }[] }
    const found = Object.fromEntries(parts.map(({ part, found }) => [part.trim(), found]))
    expect(found['node']).toBe(process.versions.node)
    expect(found['tpu-toolkit']).toMatch(/^\d+\.\d+\.\d+/)
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining([
        'WebAssembly SIMD',
        'worker threads',
        '@tensorflow/tfjs-node',
        'numpy',
        'optax',
      ]),
    )
  })

  it('env prints a table; a Python that is not there is said', async () => {
    const before = process.env['TPU_TOOLKIT_PYTHON']
    process.env['TPU_TOOLKIT_PYTHON'] = 'no-such-python'
    try {
      const { status, out } = await runCli('env')
      expect(status).toBe(0)
      expect(out).toMatch(/Python \(no-such-python\) +not found/)
    } finally {
      if (before === undefined) delete process.env['TPU_TOOLKIT_PYTHON']
      else process.env['TPU_TOOLKIT_PYTHON'] = before
    }
  })
})
