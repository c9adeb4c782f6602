import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PiecewiseTensor, survey } from 'tpu-toolkit/blocks'
import { writeSafetensors } from 'tpu-toolkit/files'
import { key, normal } from 'tpu-toolkit/random'
import { tensor } from 'tpu-toolkit/tensor'
import { compareAssignments, kmeans } from 'tpu-toolkit/vq'
import { afterAll, describe, expect, it } from 'vitest'
import { measureCodebooks } from '../../src/cli/formats/codebooks.js'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'formats-codebooks-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A tensor that is read in pieces of these lengths. */
function inPieces(values: Float32Array, lengths: readonly number[]): PiecewiseTensor {
  const ends = lengths.map((_, i) => lengths.slice(0, i + 1).reduce((a, b) => a + b, 0))
  const pieces = () =>
    ends.map((end, i) => ({ values: values.subarray(end - lengths[i]!, end), rowLength: lengths[i]! }))
  return { name: 'w', shape: [values.length], pieces }
}
const measured = (...tensors: PiecewiseTensor[]) =>
  measureCodebooks(
    'file',
    tensors.map((one) => ({ tensor: one, known: survey(one) })),
  )

const drawn = normal(key(5), 4099)
const rows = measured(inPieces(drawn, [4099]))

describe('measureCodebooks', () => {
  it('counts bits of codes and tables, the last vector filled', () => {
    expect(rows.map(({ way }) => way)).toEqual(['vq 1 x 16', 'vq 2 x 16', 'vq 2 x 256', 'vq 4 x 256'])
    expect(rows.map(({ bits }) => bits)).toEqual([
      (4 * 4099 + 16 * 16) / 4099,
      (4 * 2050 + 16 * 2 * 16) / 4099,
      (8 * 2050 + 256 * 2 * 16) / 4099,
      (8 * 1025 + 256 * 4 * 16) / 4099,
    ])
  })

  it('has of normal numbers the 20.22 dB of sixteen best levels (Max 1960), but for what 4,099 draws differ by', () => {
    // The error's relative deviation is about sqrt(2 / n): six of them 0.57 dB; fitted to 1,024 values, by ten steps.
    expect(Math.abs(rows[0]!.sqnr - 20.22)).toBeLessThan(1)
    expect(rows.every(({ dead, bits, sqnr }) => dead === 0 && sqnr < 6.03 * bits)).toBe(true)
  })

  it('gives the same whatever pieces a tensor is read in', () => {
    expect(measured(inPieces(drawn, [7, 1, 1000, 2, 3089]))).toEqual(rows)
  })

  it('counts a tensor a thousandth as large as much as the other: errors are relative', () => {
    const [two] = measured(
      inPieces(drawn, [4099]),
      inPieces(
        drawn.map((x) => x / 1024),
        [4099],
      ),
    )
    expect(two!.sqnr).toBeCloseTo(rows[0]!.sqnr, 9)
  })

  it('counts wrong codes as compareAssignments does', () => {
    const far = drawn.subarray(0, 16).map((x) => x + 64)
    // As many codes as vectors: every vector has its own.
    const x = tensor(far, { shape: [16, 1] })
    const { centroids } = kmeans(x, { k: 16, key: key(0), iterations: 10, dtype: 'bfloat16' })
    const how = { form: 'expanded', dtype: 'bfloat16', accumulate: 'float32' } as const
    const { wrongShare } = compareAssignments(x, centroids, how)
    expect(wrongShare).toBeGreaterThan(0.5)
    expect(measured(inPieces(far, [16]))[0]!.wrongCodes).toBe(wrongShare)
  })
})

describe('formats --measure --weights', () => {
  const path = join(folder, 'w.safetensors')
  writeSafetensors(path, { layer: tensor(drawn.subarray(0, 1024), { shape: [32, 32] }) })
  const call = (...args: string[]) =>
    runCli('formats', '--measure', '--weights', path, '--data', 'file', '--out', join(folder, 'out'), ...args)

  it('has a table of codebooks beside the formats, on the terminal, in JSON and on the page', async () => {
    const [text, json] = [(await call()).out, (await call('--json')).out]
    expect(text).toContain('wrong codes in bfloat16')
    expect(JSON.parse(json).data[0].codebooks).toHaveLength(4)
    expect(readFileSync(join(folder, 'out', 'index.html'), 'utf8')).toContain('vq 4 x 256')
  })

  it('leaves them out where --only names schemes', async () => {
    expect((await call('--only', 'mxfp4')).out).not.toContain('vq 2 x 16')
  })
})
