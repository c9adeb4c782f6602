import * as t from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { type Draw, opCases } from '../support/opCases.js'

const leaf: t.KnownOp = { name: 'leaf', form: 'view', rounds: 'never', kernel: ([x]) => x! }

/** Numbers of (0, 1) in a dtype, the same for every call of the same place. */
function drawing(dtype: t.FloatDType, from = 0.1, to = 0.9): Draw {
  let seed = 1
  const next = (): number => {
    seed = (seed * 48271) % 2147483647
    return from + ((to - from) * seed) / 2147483647
  }
  const made = <D extends t.DType>(x: t.Tensor<D>): t.Tensor<D> => t.withTrace(x, leaf, [], undefined)
  const values = (shape: number[]): number[] => Array.from({ length: t.sizeOf(shape) }, next)
  return {
    numbers: (...shape) => made(t.tensor(Float64Array.from(values(shape)), { shape, dtype })),
    bools: (...shape) =>
      made(t.tensor(Float64Array.from(values(shape), Math.round), { shape, dtype: 'bool' })),
  }
}

const constant = (x: t.Tensor): t.Tensor => t.untraced(x)
const probes = [Number.NaN, Infinity, -Infinity, 0.25, 0]

/** The result elements that change when one operand element is set to something else, by running the kernel. */
function changed(
  { op, inputs, attributes }: t.Trace,
  output: t.Tensor,
  input: number,
  place: number,
): Set<number> {
  const found = new Set<number>()
  const before = output.toNumbers()
  // Values of the operands too: a comparison for equality sees no others.
  for (const probe of [...probes, ...inputs.flatMap((x) => [...x.toNumbers()])]) {
    const operands = inputs.map(constant)
    const x = operands[input]!
    if (!t.isFloat(x.dtype) && !Number.isFinite(probe)) continue
    const whole = Math.trunc(probe * 16)
    const value = x.dtype === 'bool' ? 1 - x.toNumbers()[place]! : t.isFloat(x.dtype) ? probe : whole
    const data = x.toNumbers()
    data[place] = value
    operands[input] = t.tensor(data, { shape: x.shape, dtype: x.dtype })
    const after = op.kernel(operands, attributes).toNumbers()
    for (const [i, y] of after.entries()) if (!Object.is(y, before[i])) found.add(i)
  }
  return found
}

/** Operations that look at an operand without always being changed by it: those that choose. */
const choosing: readonly t.OpName[] = [
  ...(['where', 'logicalAnd', 'logicalOr', 'pow', 'rem', 'truncDiv', 'bitcast'] as const),
  ...(['bitwiseAnd', 'bitwiseOr', 'leftShift', 'rightShiftArithmetic', 'rightShiftLogical'] as const),
  ...(['reduceAnd', 'reduceOr', 'populationCount', 'countLeadingZeros'] as const),
]

describe('reads', () => {
  it.each(t.opNames)(
    '(%s) says which operand elements a result element depends on, found by changing them',
    (name) => {
      const output = opCases[name](drawing('float64'))
      const trace = output.trace!
      expect(trace.op).toBe(t.ops[name])
      const shapes = trace.inputs.map(({ shape }) => shape)
      const said = t.reads(trace.op, trace.attributes, shapes, output.shape)
      expect(said.length).toBe(shapes.length)
      for (const [input, { size }] of trace.inputs.entries()) {
        const readers = Array.from({ length: size }, () => new Set<number>())
        for (let element = 0; element < output.size; element++) {
          for (const place of t.placesRead(said[input]!, element)) readers[place]!.add(element)
        }
        for (const [place, reading] of readers.entries()) {
          const found = changed(trace, output, input, place)
          if (choosing.includes(name)) {
            expect([...found].filter((element) => !reading.has(element))).toEqual([])
          } else {
            expect([...reading].sort(), `${name} operand ${input} place ${place}`).toEqual([...found].sort())
          }
        }
      }
    },
  )

  it('(op) of a record that says nothing is everything, and what its own reads says where it has them', () => {
    const foreign: t.Op = { name: 'sum', kernel: ([x]) => x! }
    expect(t.formOf(foreign)).toBe('whole')
    expect(t.roundsOf(foreign)).toBe('once')
    const [all] = t.reads(foreign, undefined, [[2, 2]], [2])
    expect([0, 1].map((element) => t.placesRead(all!, element))).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ])
    const backward: t.Reads = { at: Int32Array.of(1, 0), from: (element) => element, count: () => 1 }
    const told: t.Op = { ...foreign, form: 'whole', reads: () => [backward] }
    expect(t.placesRead(t.reads(told, undefined, [[2]], [2])[0]!, 0)).toEqual([1])
  })

  it('(elementwise) makes no table where the operand is in step', () => {
    const [a, b] = t.reads(t.ops.add, undefined, [[2, 2], [2]], [2, 2])
    expect(a!.at).toBeUndefined()
    expect(b!.at).toEqual(Int32Array.of(0, 1, 0, 1))
  })

  it('(cumsum) lists places in the order of the sum, empty lanes too', () => {
    const [x] = t.reads(t.ops.cumsum, { axis: 0 }, [[3, 2]], [3, 2])
    expect(t.placesRead(x!, 5)).toEqual([1, 3, 5])
    expect(t.lanesRead([0, 2], [0])).toEqual({ lanes: 2, length: 0, at: new Int32Array(0) })
    expect(t.lanesRead([2, 3], [])).toEqual({ lanes: 6, length: 1, at: Int32Array.of(0, 1, 2, 3, 4, 5) })
  })
})

describe('rounds', () => {
  const numbersOf = (x: t.Tensor): number[] => [...x.toNumbers()]
  const again = ({ op, attributes }: t.Trace, inputs: readonly t.Tensor[]): number[] =>
    numbersOf(op.kernel(inputs, attributes))
  const magnitudes = (xs: readonly number[]): Set<number> => new Set([0, ...xs.map(Math.abs)])

  /** What the record should say, read off results: float64 stands for what is not rounded. */
  function observed(name: t.OpName): t.Rounds {
    const domain = name === 'acosh' ? [1.1, 2.9] : [0.1, 0.9]
    const exact = opCases[name](drawing('float64', ...domain))
    const { inputs } = exact.trace!
    const shifted = inputs.map((x) => (t.isFloat(x.dtype) ? t.mul(constant(x), 1 + 2 ** -18) : constant(x)))
    if (String(again(exact.trace!, shifted)) === String(numbersOf(exact))) return 'decides'
    const given = magnitudes(inputs.flatMap(numbersOf))
    if (numbersOf(exact).every((y) => given.has(Math.abs(y)))) return 'never'
    // The same numbers in bfloat16 and in float64: one rounding of the latter's result, or more of them.
    const low = opCases[name](drawing('bfloat16', ...domain))
    const wide = low.trace!.inputs.map((x) =>
      t.isFloat(x.dtype) ? t.cast(constant(x), 'float64') : constant(x),
    )
    const attributes = low.trace!.attributes
    const how = { order: 'sequential', accumulate: 'float64' }
    const widened = name === 'matmul' ? how : attributes ? { ...attributes, how } : attributes
    const once = numbersOf(low.trace!.op.kernel(wide, widened))
    const round = t.isFloat(low.dtype) ? t.roundingTo(low.dtype) : (y: number) => y
    return numbersOf(low).every((y, i) => Object.is(y, round(once[i]!))) ? 'once' : 'each step'
  }

  it.each(t.opNames)('(%s) says when it rounds', (name) => {
    // It jumps at the multiples of b, which lie outside of what is drawn.
    expect(name === 'rem' ? 'decides' : observed(name)).toBe(t.ops[name].rounds)
  })
})

describe('opName', () => {
  it('(op) knows the records of this package by identity, not by what they are called', () => {
    for (const name of t.opNames) {
      expect(t.opName(t.ops[name])).toBe(name)
      expect(t.ops[name].name).toBe(name)
    }
    expect(t.opName({ ...t.ops.add })).toBeUndefined()
  })

  it('entryOf(table, op) is what the table says, and nothing for none and for other records', () => {
    const table = Object.fromEntries(
      t.opNames.map((name) => [name, name === 'add' ? { name } : 'none']),
    ) as t.OpTable<{
      name: string
    }>
    expect(t.entryOf(table, t.ops.add)).toEqual({ name: 'add' })
    expect(t.entryOf(table, t.ops.sub)).toBeUndefined()
    expect(t.entryOf(table, { ...t.ops.add })).toBeUndefined()
  })
})
