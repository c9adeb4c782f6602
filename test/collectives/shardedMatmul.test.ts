import fc from 'fast-check'
import { deviceMesh, type GroupOrder } from 'tpu-toolkit/collectives'
import { errorBound } from 'tpu-toolkit/numerics'
import { mesh } from 'tpu-toolkit/sharding'
import { type FloatDType, matmul, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { meshes, partsOf } from '../support/meshes.js'
import { seed } from '../support/seed.js'

type Spec = readonly (readonly string[])[]
const orders: readonly GroupOrder[] = ['ring', 'bidirectional', 'tree', 'all-to-all']
const bits = (x: Tensor) => [x.dtype, ...x.shape, ...x.toBits()].join()

describe(`deviceMesh multiplies (seed ${seed})`, () => {
  /** A mesh and specs of both operands, any that there are; sizes that divide. */
  const products = meshes.chain((devices) =>
    fc
      .record({
        a: fc.shuffledSubarray([...devices.axisNames]),
        b: fc.shuffledSubarray([...devices.axisNames]),
        cuts: fc.array(fc.nat(2), { minLength: 6, maxLength: 6 }),
        times: fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 3, maxLength: 3 }),
        dtype: fc.constantFrom<FloatDType>('float32', 'bfloat16', 'float16', 'float8_e4m3fn', 'float64'),
        alike: fc.boolean(),
      })
      .map(({ a, b, cuts, times, dtype, alike }) => {
        const specA: Spec = [0, 1].map((d) => a.filter((_, i) => cuts[i] === d))
        const given: Spec = [0, 1].map((d) => b.filter((_, i) => cuts[3 + i] === d))
        const inner = specA[1]!
        const specB = alike ? [inner, given[1]!.filter((name) => !inner.includes(name))] : given
        const size = devices.size
        const [m, k, n] = times.map((time) => time * size) as [number, number, number]
        return { devices, specA, specB, m, k, n, dtype }
      }),
  )
  const filled = (shape: readonly number[], dtype: FloatDType, start: number) =>
    tensor(
      Array.from({ length: shape[0]! * shape[1]! }, (_, i) => Math.sin(start + i * 1.7) * 3),
      { shape: [...shape], dtype },
    )

  it.each(orders)(
    'matmul with sums as %s is the unsharded product within its bound, whatever the specs',
    (order) => {
      fc.assert(
        fc.property(products, ({ devices, specA, specB, m, k, n, dtype }) => {
          const on = deviceMesh(devices)
          const [a, b] = [filled([m, k], dtype, 1), filled([k, n], dtype, 2)]
          const { result, movements } = on.matmul(on.shard(specA, a), on.shard(specB, b), { order })
          const whole = on.unshard(result)
          expect(whole.dtype).toBe(dtype)
          const shares = partsOf(
            devices,
            specA[1]!.filter((name, i) => specB[0]![i] === name),
          )
          const unsharded = matmul(a, b)
          // Nothing summed across devices: the product itself, bit for bit.
          if (!movements.some(({ op }) => op === 'all-reduce')) {
            expect(bits(whole)).toBe(bits(unsharded))
          }
          // Sums in the order of the devices, float32: that of blocks of the inner dimension.
          else if (
            order === 'all-to-all' &&
            dtype !== 'float64' &&
            result.unreduced.length === 0 &&
            specA[1]!.length === 1
          ) {
            expect(bits(whole)).toBe(bits(matmul(a, b, { order: { blocked: k / shares } })))
          }
          const [x, y, found] = [a.toNumbers(), b.toNumbers(), whole.toNumbers()]
          for (let e = 0; e < found.length; e += 7) {
            const [i, j] = [Math.floor(e / n), e % n]
            const terms = Array.from({ length: k }, (_, t) => x[i * k + t]! * y[t * n + j]!)
            const exact = terms.reduce((sum, term) => sum + term, 0)
            const sumAbs = terms.reduce((sum, term) => sum + Math.abs(term), 0)
            const accumulate = dtype === 'float64' ? 'float64' : 'float32'
            const { bound } = errorBound('dot', { n: k, dtype, accumulate, order: 'sequential' }, { sumAbs })
            expect(Math.abs(found[e]! - exact)).toBeLessThanOrEqual(bound + k * 2 ** -53 * sumAbs)
          }
        }),
        { seed, numRuns: 40 },
      )
    },
  )

  it('shares rounded to bfloat16 before they are sent keep the bound of that', () => {
    const on = deviceMesh(mesh({ shape: [8], axisNames: ['x'] }))
    const [a, b] = [filled([4, 64], 'bfloat16', 1), filled([64, 4], 'bfloat16', 2)]
    const { result } = on.matmul(on.shard([null, 'x'], a), on.shard(['x'], b), {
      order: 'ring',
      partials: 'bfloat16',
    })
    const [x, y, found] = [a.toNumbers(), b.toNumbers(), on.unshard(result).toNumbers()]
    const exactly = on.unshard(on.matmul(on.shard([null, 'x'], a), on.shard(['x'], b)).result).toNumbers()
    const u = 2 ** -8
    let worst = 0
    found.forEach((total, e) => {
      const terms = Array.from({ length: 64 }, (_, t) => x[Math.floor(e / 4) * 64 + t]! * y[t * 4 + (e % 4)]!)
      const sumAbs = terms.reduce((sum, term) => sum + Math.abs(term), 0)
      const exact = terms.reduce((sum, term) => sum + term, 0)
      // Each share is rounded once, then seven sums round: 8 roundings, (1 + u)^8 - 1.
      const bound = ((1 + u) ** 8 - 1 + 64 * 2 ** -24) * sumAbs
      worst = Math.max(worst, Math.abs(total - exact) / bound)
    })
    expect(worst).toBeLessThanOrEqual(1)
    expect([...found]).not.toEqual([...exactly])
  })

  it('moves what its splits ask for, and no more', () => {
    const on = deviceMesh(mesh({ shape: [4, 2], axisNames: ['x', 'y'] }))
    const run = (specA: Spec, specB: Spec, options = {}) => {
      const [a, b] = [filled([8, 8], 'bfloat16', 1), filled([8, 8], 'bfloat16', 2)]
      const { result, movements } = on.matmul(on.shard(specA, a), on.shard(specB, b), options)
      return [movements.map(({ op, axis }) => `${op} ${axis}`), result.spec]
    }
    // Columns, then rows of a pair of Megatron's products.
    expect(run([['x'], []], [[], ['y']])).toEqual([[], [['x'], ['y']]])
    expect(run([['x'], ['y']], [['y'], []])).toEqual([['all-reduce y'], [['x'], []]])
    expect(run([['x'], ['y']], [['y'], []], { scatter: 1 })).toEqual([['reduce-scatter y'], [['x'], ['y']]])
    // Parameters split over the data axis are gathered.
    expect(run([['x'], []], [['x'], ['y']])).toEqual([['all-gather x'], [['x'], ['y']]])
    // Both outer dimensions over one axis: the smaller operand is gathered, here a, there b.
    expect(run([['x'], []], [[], ['x']])).toEqual([['all-gather x'], [[], ['x']]])
    const [wide, small] = [filled([64, 8], 'bfloat16', 1), filled([8, 8], 'bfloat16', 2)]
    const kept = on.matmul(on.shard([['x'], []], wide), on.shard([[], ['x']], small)).result
    expect(kept.spec).toEqual([['x'], []])
  })
})
