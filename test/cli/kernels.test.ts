import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'kernels-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const call = (...args: string[]) => runCli('kernels', ...args)
const text = join(folder, 'text')
writeFileSync(text, 'The quick brown fox jumps over the lazy dog. '.repeat(20))
writeFileSync(join(folder, 'empty'), '')

describe('kernels, options', () => {
  it.each([
    [['--only', 'atention'], 'unknown kernel [atention], did you mean attention, there are attention, gemm'],
    [['--dtype', 'int8'], 'unknown dtype [int8]'],
    [['--dtype', 'float8_e4m3fn'], 'there are bfloat16, float16, float32'],
    [['--length', '8'], '--length is not a whole number from 16 to 65536 [8]'],
    [['--block', '0'], '--block is not a whole number from 1 to 65536 [0]'],
    [['--steps', '-1'], '--steps is not a whole number from 0 to 100000 [-1]'],
    [['--text', join(folder, 'none')], '--text: cannot be read ['],
    [['--text', join(folder, 'empty')], '--text: the file is empty ['],
  ])('%j exits 2 with one line on standard error', async (args, says) => {
    const { status, out, error } = await call(...args)
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(error).toMatch(/^kernels: [^\n]+\n$/)
    expect(error).toContain(says)
  })
})

describe('kernels, results', async () => {
  const out = join(folder, 'out')
  const few = ['--only', 'attention,norms', '--length', '32,64', '--block', '16,32', '--out', out]
  const first = await call(...few, '--text', text, '--steps', '2')

  it('prints a table for each kernel, with its inputs, and says where the page is', () => {
    expect([first.status, first.error]).toEqual([0, ''])
    expect(first.out).toContain('Attention, keys = 64; growth from 32 on')
    expect(first.out).toContain('At n = 64 on activations, in bfloat16, ')
    expect(first.out).toContain('activations: of a decoder of one block, d 64, after 2 steps on a text')
    expect(first.out.endsWith(`Written: ${join(out, 'index.html')}, ${join(out, 'kernels.json')}\n`)).toBe(
      true,
    )
  })

  it('writes the page, with a figure for each kernel and input, and the JSON that --json prints', async () => {
    const page = readFileSync(join(out, 'index.html'), 'utf8')
    expect(page.match(/<figure/g)).toHaveLength(2 * 3)
    expect(page).toContain('measurements with an a-priori bound keep it.')
    const { out: json } = await call(...few, '--text', text, '--steps', '2', '--json')
    expect(json).toBe(readFileSync(join(out, 'kernels.json'), 'utf8'))
    expect(JSON.parse(json).rows).toHaveLength(3 * 2 * (4 * 2 + 1) + 3 * 2 * 4)
  })

  it('--steps 0 leaves activations out', async () => {
    const { out: json } = await call(
      '--only',
      'rope',
      '--length',
      '16',
      '--steps',
      '0',
      '--json',
      '--out',
      out,
    )
    expect(JSON.parse(json).inputs.map(({ name }: { name: string }) => name)).toEqual(['normal', 'outliers'])
  })
})
