import { afterEach, describe, expect, it, vi } from 'vitest'

/** The doors loaded anew, so that they meet the machine as it is pretended to be. */
async function load() {
  vi.resetModules()
  return { simd: await import('#simd'), bf16: await import('tpu-toolkit/bf16') }
}

describe('arena(engine)', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.resetModules()
  })

  it('is one instance of 4 MiB here, and nothing for plain', async () => {
    const { simd } = await load()
    const arena = simd.arena('simd')
    expect(arena?.buffer.byteLength).toBe(4 * 2 ** 20)
    expect(simd.arena('simd')).toBe(arena)
    expect(simd.arena('plain')).toBeUndefined()
  })

  it('keeps the tables of functions below the room for operands', async () => {
    const { simd } = await load()
    const arena = simd.arena('simd')!
    const operands = Float32Array.from({ length: 1000 }, (_, i) => i / 16 - 30)
    const results = () =>
      (['exp', 'log', 'erf', 'gelu', 'softplus', 'sin'] as const).map((name) => {
        const out = new Float32Array(operands.length)
        simd.float32UnaryBlocks(arena, name, operands, out)
        return out
      })
    const before = results()
    new Uint8Array(arena.buffer, 0x02_9000).fill(255)
    expect(results()).toEqual(before)
  })

  it.each([
    ['without WebAssembly', undefined],
    [
      'without its SIMD',
      {
        Module: class {
          constructor() {
            throw new TypeError('invalid SIMD opcode')
          }
        },
        Instance: class {},
      },
    ],
  ])('is undefined %s, and arrays compute the same', async (_, pretended) => {
    const values = Float32Array.from({ length: 100 }, (_, i) => i / 7 - 5)
    const results = async () => {
      const { simd, bf16 } = await load()
      const codes = bf16.encode(values)
      const product = bf16.matmulArrays(codes, codes, { m: 10, k: 10, n: 10 })
      const sums = bf16.cumsumArray(bf16.divArrays(codes, product))
      return { arena: simd.arena('simd') === undefined, codes, product, sums, sum: bf16.sumArray(codes) }
    }
    const here = await results()
    expect(here.arena).toBe(false)
    vi.stubGlobal('WebAssembly', pretended)
    expect(await results()).toEqual({ ...here, arena: true })
  })
})
