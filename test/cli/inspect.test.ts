import { decode, encode, type FormatName, formatNames } from 'tpu-toolkit/formats'
import { describe, expect, it } from 'vitest'
import { runCli } from '../support/runCli.js'

interface Found {
  readonly format: FormatName
  readonly code: string
  readonly value: number | null
  readonly below: number | null
  readonly above: number | null
  readonly error: number | null
  readonly ulps: number | null
}

async function json(...args: string[]): Promise<{ value: number; formats: Found[] }> {
  return JSON.parse((await runCli('inspect', '--json', ...args)).out)
}

describe('inspect', () => {
  it('inspect 0.1 prints code, bits, neighbours and error in bfloat16', async () => {
    const { status, out, error } = await runCli('inspect', '0.1')
    expect({ status, error }).toEqual({ status: 0, error: '' })
    expect(out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['format', 'bfloat16'],
      ['asked', '0.1'],
      ['value', '0.10009765625'],
      ['code', '0x3dcd'],
      ['bits', '0 01111011 1001101'],
      ['class', 'normal'],
      ['below', '0.099609375'],
      ['above', '0.1005859375'],
      ['error', '9.77e-5 (9.77e-4 relative, 0.2 ulps)'],
      [''],
    ])
  })

  it('--all gives in every format what encode gives', async () => {
    const { formats } = await json('0.1', '--all')
    expect(formats.map(({ format }) => format)).toEqual(formatNames)
    for (const { format, code, value } of formats) {
      expect(Number(code)).toBe(encode(0.1, format))
      expect(value).toBe(decode(encode(0.1, format), format))
    }
  })

  it('a code is taken as it is', async () => {
    expect((await json('0x3dcd')).formats[0]).toMatchObject({
      code: '0x3dcd',
      value: 0.10009765625,
      error: 0,
    })
    expect((await json('0x7e', '--format', 'float8_e4m3fn')).formats[0]).toMatchObject({ value: 448 })
  })

  it('--rounding and --saturate are those of encode', async () => {
    expect((await json('0.1', '--rounding', 'down')).formats[0]).toMatchObject({ value: 0.099609375 })
    expect((await json('1e9', '--format', 'float8_e5m2', '--saturate')).formats[0]).toMatchObject({
      value: 57344,
    })
  })

  it('infinities, NaN and negative numbers are numbers', async () => {
    expect((await json('inf')).formats[0]).toMatchObject({ code: '0x7f80', value: null })
    expect((await json('nan')).formats[0]).toMatchObject({ code: '0x7fc0', value: null })
    expect((await json('--', '-inf')).formats[0]).toMatchObject({ code: '0xff80' })
    expect((await json('--', '-0.3')).formats[0]).toMatchObject({
      code: '0xbe9a',
      ulps: expect.closeTo(-0.4),
    })
    expect((await runCli('inspect', '--', '-0')).out).toMatch(/^value +-0$/m)
    expect((await runCli('inspect', 'inf')).out).toMatch(/^value +Infinity$.*^error +-$/ms)
  })

  it.each([
    [['zz'], 'not a number [zz]'],
    [['1e'], 'not a number [1e]'],
    [['0x10000'], 'code outside 16 bits of bfloat16 [0x10000]'],
    [['0x1', '--all'], 'a code belongs to one format, leave off --all [0x1]'],
    [['1', '--format', 'bf16'], 'unknown format [bf16], did you mean bfloat16, there are bfloat16, '],
    [['1', '--rounding', 'up-ish'], 'unknown rounding [up-ish], there are nearest-even, '],
    [[], "missing required argument 'number'"],
    [['1', '2'], 'too many arguments'],
    [['1', '--al'], "unknown option '--al'"],
  ])('inspect %j exits 2 with one line', async (args, says) => {
    const { status, out, error } = await runCli('inspect', ...args)
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(error).toMatch(/^inspect: [^\n]+\n$/)
    expect(error).toContain(says)
  })
})
