import { kernelCases, runKernels } from 'tpu-toolkit/drift'
import { describe, expect, it } from 'vitest'

const small = { lengths: [64, 256], blocks: [32, 128] } as const

describe('runKernels', () => {
  const results = runKernels(small)
  const rows = results.kernels.flatMap((found) => found.rows)

  it('measures every kernel on every input, at every length', () => {
    expect(results.kernels.map(({ kernel }) => kernel.name)).toEqual(kernelCases.map(({ name }) => name))
    for (const { rows: own } of results.kernels) {
      expect(new Set(own.map(({ input }) => input))).toEqual(new Set(['normal', 'outliers']))
      expect(new Set(own.map(({ length }) => length))).toEqual(new Set(small.lengths))
    }
  })

  it('finds no error beyond its a-priori bound', () => {
    const bounded = rows.filter(({ ofBound }) => ofBound !== null)
    expect(bounded.length).toBeGreaterThan(40)
    expect(bounded.filter(({ ofBound }) => ofBound! > 1)).toEqual([])
  })

  it('finds what is known of each kernel', () => {
    const of = (way: string, input = 'normal', length = 256): number =>
      rows.find((row) => row.way === way && row.input === input && row.length === length)!.normRel
    expect(of('splash')).toBeLessThan(of('bfloat16'))
    expect(of('bfloat16')).toBeLessThan(of('whole row'))
    expect(of('high, rounded')).toBeLessThan(of('high, truncated'))
    expect(of('highest')).toBeLessThan(of('high, rounded'))
    expect(of('tf32')).toBeLessThan(of('default'))
    expect(of('bfloat16 table')).toBeLessThan(of('bfloat16 angles') / 10)
    expect(of('two-pass')).toBeLessThan(of('op by op') / 10)
    // Noise of e4m3 codes, of 4 significant bits: 2.6 % an operand.
    expect(Math.abs(of('per tensor') - 0.037)).toBeLessThan(0.005)
  })

  it('measures attention against whole rows in float64, from the numbers of the input alone', () => {
    const [{ kernel }] = runKernels({ kernels: ['attention'], lengths: [16] }).kernels as [
      (typeof results.kernels)[0],
    ]
    const input = {
      name: 'ones',
      about: '',
      numbers: (_: string, n: number, d: number) => new Float64Array(n * d).fill(1),
    }
    const { reference } = kernel.trial({ input, length: 16, dtype: 'bfloat16', blocks: [8] })
    expect(reference).toHaveLength(16 * 64)
    // Weights that are quotients of float64 sums of 1 to 16 ones.
    for (const y of reference) expect(Math.abs(y - 1)).toBeLessThan(17 * 2 ** -53)
  })

  it('gives the same numbers for the same seed, others for another', () => {
    const asked = { kernels: ['rope'], lengths: [64] } as const
    expect(runKernels(asked).kernels[0]!.rows).toEqual(runKernels(asked).kernels[0]!.rows)
    expect(runKernels({ ...asked, seed: 1 }).kernels[0]!.rows).not.toEqual(runKernels(asked).kernels[0]!.rows)
  })

  it.each([
    [
      { kernels: ['conv' as 'gemm'] },
      'runKernels: unknown kernel, there are attention, gemm, rope, norms, fp8 [conv]',
    ],
    [{ lengths: [8] }, 'runKernels: length is not a whole number from 16 to 65536 [8]'],
    [{ blocks: [0] }, 'runKernels: block is not a whole number from 1 to 65536 [0]'],
    [{ dtypes: ['float64' as const] }, 'runKernels: unknown dtype, '],
    [{ steps: 0 }, 'runKernels: steps is not a whole number from 1 to 100000 [0]'],
    [{ text: new Uint8Array(0) }, 'runKernels: the text is not bytes'],
  ])('refuses %j', (options, message) => {
    expect(() => runKernels(options)).toThrow(message)
  })
})
