import { codeTable, format, formatNames } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { runCli } from '../support/runCli.js'

describe('formats', () => {
  it('formats lists every format, one a line', async () => {
    const { status, out } = await runCli('formats')
    expect(status).toBe(0)
    expect(
      out
        .trim()
        .split('\n')
        .slice(2)
        .map((line) => line.split(' ')[0]),
    ).toEqual(formatNames)
  })

  it('formats NAME adds the code table of a format of 8 bits or fewer, of others with --codes', async () => {
    expect((await runCli('formats', 'float4_e2m1fn')).out).toContain(codeTable('float4_e2m1fn'))
    expect((await runCli('formats', 'bfloat16')).out).not.toContain('0x0000')
    expect((await runCli('formats', 'bfloat16', '--codes')).out).toContain(codeTable('bfloat16'))
  })

  it('--json prints the facts as format gives them', async () => {
    const all = JSON.parse((await runCli('formats', '--json')).out)
    expect(all.formats).toEqual(formatNames.map((name) => ({ ...format(name) })))
    expect(JSON.parse((await runCli('formats', 'bfloat16', '--json')).out).format.max).toBe(
      format('bfloat16').max,
    )
  })

  it('formats of an unknown name exits 2 with one line', async () => {
    const { status, out, error } = await runCli('formats', 'bf16')
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(error).toMatch(
      /^formats: unknown format \[bf16\], did you mean bfloat16, there are bfloat16, [^\n]+\n$/,
    )
  })
})
