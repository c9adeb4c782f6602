import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { encodeNpy, encodeSafetensors, readSafetensors, writeSafetensors } from 'tpu-toolkit/files'
import { key, normal } from 'tpu-toolkit/random'
import { type Tensor, tensor, zeros } from 'tpu-toolkit/tensor'
import { type CodedTensor, decodeTensor, loadCodes, quantizeModel } from 'tpu-toolkit/vq'
import { afterAll, describe, expect, it } from 'vitest'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'vq-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const inFolder = (name: string): string => join(folder, name)

const draw = (seed: number, shape: readonly number[]): Tensor<'float32'> =>
  tensor(
    normal(
      key(seed),
      shape.reduce((a, b) => a * b, 1),
    ),
    { shape },
  )
const weights = {
  'layers.0.kernel': draw(1, [24, 32]),
  'layers.1.kernel': draw(2, [16, 8]),
  bias: draw(3, [8]),
}
const path = inFolder('model.safetensors')
writeSafetensors(path, weights)
const few = ['--length', '1,2', '--codes', '16', '--iterations', '4']

describe('vq', () => {
  it('says of a file what quantizeModel says of its tensors, and what it leaves', async () => {
    const { status, out, error } = await runCli('vq', path, ...few, '--bits', '4.7', '--json')
    expect({ status, error }).toEqual({ status: 0, error: '' })
    const { bias: _, ...tensors } = weights
    const own = quantizeModel(
      { tensors },
      { bits: 4.7, vectorLength: [1, 2], codebookSize: 16, iterations: 4, key: key(0) },
    )
    const told = JSON.parse(out)
    expect(told.file).toBe('model.safetensors')
    expect(told.skipped).toEqual([{ name: 'bias', why: 'one axis' }])
    expect(told.metrics).toEqual(JSON.parse(JSON.stringify(own.metrics())))
    expect(told.totals).toEqual(JSON.parse(JSON.stringify(own.totals)))
    expect(told.layers.map(({ path: name }: { path: string }) => name)).toContain('layers.1.kernel')
  })

  it('prints a table, writes a page, and codes that decode to what it measured', async () => {
    const [page, saved] = [inFolder('vq.html'), inFolder('small.safetensors')]
    const { status, out, error } = await runCli(
      'vq',
      path,
      ...few,
      '--bits',
      '4.7',
      '--out',
      page,
      '--save',
      saved,
    )
    expect({ status, error }).toEqual({ status: 0, error: '' })
    expect(out).toContain('int4 per channel')
    expect(out).toContain(`Written: ${saved}`)
    expect(out).toContain('No speed was measured.')
    expect(readFileSync(page, 'utf8')).toContain('<title>Vector quantised: model.safetensors</title>')
    const { bias: _, ...tensors } = weights
    const own = quantizeModel(
      { tensors },
      { bits: 4.7, vectorLength: [1, 2], codebookSize: 16, iterations: 4, key: key(0) },
    )
    const loaded = loadCodes(readSafetensors(saved))
    expect(Object.keys(loaded).sort()).toEqual(['layers.0.kernel', 'layers.1.kernel'])
    for (const [name, one] of Object.entries(loaded)) {
      const decoded = 'codebook' in one ? decodeTensor(one as CodedTensor) : one
      expect(decoded.toBits()).toEqual(own.params.tensors[name as 'layers.0.kernel'].toBits())
    }
  })

  it('takes one array of NumPy', async () => {
    const npy = inFolder('vectors.npy')
    writeFileSync(npy, encodeNpy(draw(5, [64, 8])))
    const { status, out } = await runCli(
      'vq',
      npy,
      '--length',
      '8',
      '--codes',
      '16',
      '--bits',
      '20',
      '--json',
    )
    expect(status).toBe(0)
    expect(JSON.parse(out).layers.map(({ way }: { way: string }) => way)[0]).toBe('vq 8 x 16')
  })

  it('gives the same bytes again, and others with another seed', async () => {
    const run = async (seed: string) =>
      (await runCli('vq', path, ...few, '--bits', '4.7', '--seed', seed, '--json')).out
    expect(await run('7')).toBe(await run('7'))
    expect(await run('7')).not.toBe(await run('8'))
  })

  it.each([
    ['a file that is not there', [inFolder('none.safetensors')], 'cannot read'],
    ['an array that is not there', [inFolder('none.npy')], 'cannot read'],
    [
      'a file without weights',
      [inFolder('bias.safetensors')],
      'no float tensor of two axes [b: one axis; spoilt: Inf or NaN]',
    ],
    [
      'too few bits',
      [path, '--bits', '0.5', '--length', '2', '--codes', '16'],
      'the cheapest ways take more than 0.5 bits a value',
    ],
    ['bits that are none', [path, '--bits', 'x'], '--bits is not a number [x]'],
    ['codes that are none', [path, '--codes', '1'], '--codes is not a whole number, 2 or more [1]'],
  ])('refuses %s in one line, status 2', async (_, args, message) => {
    writeFileSync(
      inFolder('bias.safetensors'),
      encodeSafetensors({ b: zeros([3]), spoilt: tensor([[1, Number.NaN]]) }),
    )
    const { status, out, error } = await runCli('vq', ...args)
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(error).toContain(message)
    expect(error.trimEnd().split('\n').length).toBeLessThanOrEqual(2)
  })

  it('refuses a page that cannot be written before the work', async () => {
    const { status, error } = await runCli(
      'vq',
      path,
      '--out',
      fileURLToPath(new URL('.', `file://${folder}/`)),
    )
    expect(status).toBe(1)
    expect(error).toContain('this is a folder')
  })
})
