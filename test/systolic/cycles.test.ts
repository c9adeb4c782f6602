import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { cycles, type Dataflow, dataflows, trace } from 'tpu-toolkit/systolic'
import { describe, expect, it } from 'vitest'
import { seed } from '../support/seed.js'

interface Case {
  readonly R: number
  readonly C: number
  readonly dataflow: Dataflow
  readonly M: number
  readonly N: number
  readonly K: number
  readonly row_folds: number
  readonly column_folds: number
  readonly cycles_per_fold: number
  readonly total_cycles: number
  readonly overall_util: number
  readonly mapping_efficiency: number
}

const keyFile = new URL('../golden/planning/systolic.json', import.meta.url)
const { cases } = JSON.parse(readFileSync(keyFile, 'utf8')) as { readonly cases: readonly Case[] }

describe('cycles', () => {
  it.each(cases)('$dataflow $M x $N x $K on $R x $C has the counts of SCALE-Sim', (one) => {
    const found = cycles({
      dataflow: one.dataflow,
      rows: one.R,
      columns: one.C,
      m: one.M,
      n: one.N,
      k: one.K,
    })
    expect(found.rowFolds).toBe(one.row_folds)
    expect(found.columnFolds).toBe(one.column_folds)
    expect(found.cyclesPerFold).toBe(one.cycles_per_fold)
    expect(found.totalCycles).toBe(one.total_cycles)
    // Percentages as printed by another program's division: two roundings apart.
    expect(Math.abs(found.overallUtil / one.overall_util - 1)).toBeLessThanOrEqual(2 ** -51)
    expect(Math.abs(found.mappingEfficiency / one.mapping_efficiency - 1)).toBeLessThanOrEqual(2 ** -51)
  })

  it('of one multiply-add in one cell is 0, the number of its only cycle, at 100 percent', () => {
    const one = cycles({ dataflow: 'os', rows: 1, columns: 1, m: 1, n: 1, k: 1 })
    expect([one.totalCycles, one.cyclesPerFold, one.overallUtil]).toEqual([0, 1, 100])
  })

  it('refuses what is no array and no product, by name', () => {
    const good = { dataflow: 'os', rows: 8, columns: 8, m: 1, n: 1, k: 1 } as const
    expect(() => cycles({ ...good, dataflow: 'rs' as 'os' })).toThrow(
      'cycles: unknown dataflow, there are os, ws, is [rs]',
    )
    expect(() => cycles({ ...good, rows: 0 })).toThrow('cycles: rows is not a whole number, 1 or more [0]')
    expect(() => cycles({ ...good, k: 2.5 })).toThrow('cycles: k is not a whole number, 1 or more [2.5]')
    expect(() => cycles({ ...good, cols: 8 } as never)).toThrow('cycles: unknown option')
    expect(() => cycles(undefined as never)).toThrow('cycles: option dataflow is missing [no options]')
  })
})

const size = fc.integer({ min: 1, max: 5 })
const value = fc.integer({ min: -9, max: 9 })
const matrix = (rows: number, columns: number) =>
  fc.array(fc.array(value, { minLength: columns, maxLength: columns }), { minLength: rows, maxLength: rows })
const products = fc
  .tuple(size, size, size)
  .chain(([m, n, k]) => fc.record({ a: matrix(m, k), b: matrix(k, n) }))

describe(`trace (seed ${seed})`, () => {
  it.each(dataflows)('%s ends with the matrix product, in the cycles of the formula', (dataflow) => {
    fc.assert(
      fc.property(products, size, size, ({ a, b }, rows, columns) => {
        const { frames, product, totalCycles } = trace({ dataflow, rows, columns, a, b })
        const exact = a.map((row) =>
          b[0]!.map((_, j) => row.reduce((sum, x, i) => sum + x * b[i]![j]!, 0) + 0),
        )
        expect(product.map((row) => row.map((x) => x + 0))).toEqual(exact)
        const counted = cycles({ dataflow, rows, columns, m: a.length, n: b[0]!.length, k: b.length })
        expect(totalCycles).toBe(counted.totalCycles)
        expect(frames.map(({ cycle }) => cycle)).toEqual(Array.from({ length: totalCycles + 1 }, (_, t) => t))
        // The last cycle of every fold is busy: the formula has none to spare.
        expect(frames.at(-1)!.cells.flat().length).toBe(rows * columns)
        const multiplied = frames
          .flatMap(({ cells }) => cells.flat())
          .filter(({ does }) => does === 'multiply').length
        expect(multiplied).toBe(a.length * b.length * b[0]!.length)
      }),
      { seed, numRuns: 60 },
    )
  })

  it('moves every element to a neighbour or leaves it: none jumps', () => {
    fc.assert(
      fc.property(
        products,
        fc.constantFrom(...dataflows),
        size,
        size,
        ({ a, b }, dataflow, rows, columns) => {
          const { frames } = trace({ dataflow, rows, columns, a, b })
          frames.forEach(({ cells, fold, phase }, t) => {
            const before = frames[t - 1]
            cells.forEach((row, r) => {
              row.forEach((cell, c) => {
                if (cell.does !== 'multiply' || before?.fold.join() !== fold.join() || phase === 'load') {
                  return
                }
                const moving = dataflow === 'is' ? cell.b! : cell.a!
                const left = cells[r]![c - 1] && before.cells[r]![c - 1]!
                const had = left && (dataflow === 'is' ? left.b : left.a)
                if (c > 0) expect(had).toEqual(moving)
              })
            })
          })
        },
      ),
      { seed, numRuns: 40 },
    )
  })

  it('shows weights going in, one row in each cycle, before anything is multiplied', () => {
    const a = [
      [1, 2],
      [3, 4],
    ]
    const { frames } = trace({ dataflow: 'ws', rows: 2, columns: 2, a, b: a })
    expect(frames[0]!.cells.map((row) => row.map(({ does, b }) => [does, b]))).toEqual([
      [
        ['load', [1, 0]],
        ['load', [1, 1]],
      ],
      [
        ['idle', null],
        ['idle', null],
      ],
    ])
    expect(frames[1]!.cells[1]![0]).toEqual({ does: 'load', a: null, b: [1, 0], sum: null })
    expect(frames[2]!.cells[0]![0]).toEqual({ does: 'multiply', a: [0, 0], b: [0, 0], sum: 1 })
    expect(frames[3]!.cells[1]![0]).toEqual({ does: 'multiply', a: [0, 1], b: [1, 0], sum: 7 })
  })

  it('refuses matrices that do not fit, and what is too large to look at', () => {
    const array = { dataflow: 'os', rows: 2, columns: 2 } as const
    expect(() => trace({ ...array, a: [[1, 2]], b: [[1]] })).toThrow(
      'trace: inner dimensions differ [1, 2] x [1, 1]',
    )
    expect(() => trace({ ...array, a: [[1], [1, 2]], b: [[1]] })).toThrow(
      'trace: rows of a differ in length [1 and 2]',
    )
    expect(() => trace({ ...array, a: 3 as never, b: [[1]] })).toThrow('trace: a is not an array of rows [3]')
    expect(() => trace({ ...array, a: [], b: [[1]] })).toThrow(
      'trace: m is not a whole number, 1 or more [0]',
    )
    const long = [Array<number>(262_145).fill(1)]
    expect(() => trace({ ...array, a: long, b: long[0]!.map((x) => [x]) })).toThrow(
      'trace: more than 2^20 cells',
    )
  })
})
