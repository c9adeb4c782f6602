import { parse } from 'tpu-toolkit/stablehlo'
import { describe, expect, it } from 'vitest'
import { withoutChecks } from '../../scripts/stablehlo/checks.js'
import { differenceOf } from '../../scripts/stablehlo/differenceOf.js'
import { elementFacts } from '../../scripts/stablehlo/elements.js'
import { judge } from '../../scripts/stablehlo/judge.js'
import { runFile } from '../../scripts/stablehlo/runFile.js'

const f32 = elementFacts('f32')!
const bytes = (...values: number[]): Uint8Array => new Uint8Array(Float32Array.from(values).buffer)

/** A function that checks two constants. */
const checking = (check: string, actual: string, expected: string, type = 'tensor<2xf32>'): string => `
func.func @main() {
  %0 = stablehlo.constant dense<${actual}> : ${type}
  %1 = stablehlo.constant dense<${expected}> : ${type}
  ${check}
  func.return
}`

const kinds = (text: string): readonly string[] => runFile(text).map(({ kind }) => kind)

describe('runFile, checks as operations', () => {
  it.each([
    ['check.expect_eq %0, %1 : tensor<2xf32>', '[1.0, 2.0]', '[1.0, 2.0]', 'passed'],
    ['check.expect_eq %0, %1 : tensor<2xf32>', '[1.0, 2.0]', '[1.0, 2.1]', 'failed'],
    ['check.expect_eq %0, %1 : tensor<2xf32>', '[0.0, 2.0]', '[-0.0, 2.0]', 'passed'],
    ['check.expect_eq %0, %1 : tensor<2xf32>', '0x7FC00000', '0x7FC00000', 'failed'],
    ['check.expect_eq_const %0, dense<[1.0, 2.0]> : tensor<2xf32>', '[1.0, 2.0]', '0.0', 'passed'],
    ['check.expect_eq_const %0, dense<1.0> : tensor<2xf32>', '[1.0, 2.0]', '0.0', 'failed'],
    ['check.expect_almost_eq %0, %1 : tensor<2xf32>', '[1.0, 2.0]', '[1.00009, 2.0]', 'passed'],
    ['check.expect_almost_eq %0, %1 : tensor<2xf32>', '[1.0, 2.0]', '[1.001, 2.0]', 'failed'],
    [
      'check.expect_almost_eq %0, %1, tolerance = 0.01 : tensor<2xf32>',
      '[1.0, 2.0]',
      '[1.001, 2.0]',
      'passed',
    ],
    ['check.expect_almost_eq_const %0, dense<[1.0, 2.0]> : tensor<2xf32>', '[1.0, 2.0]', '0.0', 'passed'],
    [
      'check.expect_close %0, %1, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>',
      '[1.0, 2.0]',
      '[1.00000036, 2.0]',
      'passed',
    ],
    [
      'check.expect_close %0, %1, max_ulp_difference = 2 : tensor<2xf32>, tensor<2xf32>',
      '[1.0, 2.0]',
      '[1.00000036, 2.0]',
      'failed',
    ],
    [
      'check.expect_close %0, %1, max_ulp_difference = 9, min_ulp_difference = 1 : tensor<2xf32>, tensor<2xf32>',
      '1.0',
      '1.0',
      'failed',
    ],
  ])('%s of %s and %s: %s', (check, actual, expected, kind) => {
    expect(kinds(checking(check, actual, expected))).toEqual([kind])
  })
})

describe('runFile, checks as custom calls', () => {
  const call = (name: string, result: string): string =>
    `%2 = stablehlo.custom_call @${name}(%0, %1) : (tensor<2xf32>, tensor<2xf32>) -> ${result}`
  it.each([
    ['check.eq', '[1.0, 2.0]', '[1.00009, 2.0]', 'passed'],
    ['check.eq', '[1.0, 2.0]', '[1.001, 2.0]', 'failed'],
    ['check.expect_eq', '[1.0, 2.0]', '[1.0, 2.0]', 'passed'],
    ['check.expect_almost_eq', '[1.0, 2.0]', '[1.0009, 2.0]', 'passed'],
    ['check.expect_almost_eq', '[1.0, 2.0]', '[1.002, 2.0]', 'failed'],
    ['check.expect_close', '[1.0, 2.0]', '[1.00000036, 2.0]', 'passed'],
    ['check.expect_close', '[1.0, 2.0]', '[1.0000005, 2.0]', 'failed'],
  ])('@%s of %s and %s: %s', (name, actual, expected, kind) => {
    expect(kinds(checking(call(name, 'tensor<i1>'), actual, expected))).toEqual([kind])
  })
})

describe('runFile', () => {
  it('runs each part between lines of dashes, and of a part every function without arguments', () => {
    const part = checking('check.expect_eq %0, %1 : tensor<2xf32>', '1.0', '1.0').replace('main', 'first')
    const names = runFile(`${part}\n${part.replace('first', 'second')}\n// -----\n${part}`).map(
      ({ name }) => name,
    )
    expect(names).toEqual(['1 @first', '1 @second', '2 @first'])
  })

  it('refuses what programOf refuses, with its reason, and says where nothing is checked', () => {
    const foreign = checking(
      '%2 = stablehlo.custom_call @other(%0) : (tensor<2xf32>) -> tensor<2xf32>\n  check.expect_eq %2, %1 : tensor<2xf32>',
      '1.0',
      '1.0',
    )
    const [outcome] = runFile(foreign)
    expect(outcome?.kind).toBe('refused')
    expect(outcome?.reason).toMatch(/other/)
    expect(kinds('func.func @main(%a: tensor<f32>) -> tensor<f32> { func.return %a : tensor<f32> }')).toEqual(
      ['nothing'],
    )
    expect(kinds('func.func @main( {')).toEqual(['refused'])
  })
})

describe('withoutChecks', () => {
  it('returns what the checks look at, each value once', () => {
    const text = checking(
      'check.expect_eq %0, %1 : tensor<2xf32>\n  check.expect_almost_eq %0, %1 : tensor<2xf32>',
      '1.0',
      '1.0',
    )
    const { func, pairs } = withoutChecks(parse(text).functions.get('main')!)
    expect(func.type.results.length).toBe(2)
    expect(pairs.map(({ check, actual, expected }) => [check.kind, actual, expected])).toEqual([
      ['equal', 0, 1],
      ['near', 0, 1],
    ])
  })
})

describe('judge', () => {
  it('near: numbers of two signs are never near, NaN is near NaN, Inf near itself alone', () => {
    const check = { kind: 'near', tolerance: 1 } as const
    const passes = (a: number, b: number): boolean => judge(f32, check, bytes(a), bytes(b)) === undefined
    expect([passes(1e-9, -1e-9), passes(0, -0), passes(-0, 1e-9), passes(0, 1e-9)]).toEqual([
      false,
      true,
      false,
      true,
    ])
    expect([passes(NaN, NaN), passes(NaN, 1), passes(Infinity, Infinity), passes(Infinity, 1)]).toEqual([
      true,
      false,
      true,
      false,
    ])
  })

  it('steps: counted through zero, 2^64 - 1 where one is not finite', () => {
    const check = { kind: 'steps', least: 2n, most: 2n } as const
    expect(judge(f32, check, bytes(2 ** -149), bytes(-(2 ** -149)))).toBe(undefined)
    const most = { kind: 'steps', least: 2n ** 64n - 1n, most: 2n ** 64n - 1n } as const
    expect(judge(f32, most, bytes(Infinity), bytes(-Infinity))).toBe(undefined)
    expect(judge(f32, check, bytes(Infinity), bytes(Infinity))).toMatch(/0 steps/)
  })
})

describe('differenceOf', () => {
  it('exact: bytes, one NaN for another, -0 is not 0', () => {
    const differs = (a: number, b: number): boolean =>
      differenceOf(f32, { kind: 'exact' }, bytes(a), bytes(b)) !== undefined
    expect([differs(1, 1), differs(NaN, -NaN), differs(0, -0), differs(1, 1 + 2 ** -23)]).toEqual([
      false,
      false,
      true,
      true,
    ])
  })

  it('ulps: so many steps; scale: so many half epsilons of the largest magnitude', () => {
    const ulps = { kind: 'ulps', ulps: 2, reason: '' } as const
    const scale = { kind: 'scale', ulps: 2, reason: '' } as const
    const [a, b] = [bytes(1 + 3 * 2 ** -23, 1024), bytes(1, 1024)]
    expect(differenceOf(f32, ulps, a, b)).toMatch(/1 of 2 differ; element 0 .* 3 steps/)
    expect(differenceOf(f32, scale, a, b)).toBe(undefined)
    expect(differenceOf(f32, scale, bytes(1 + 2 ** -12, 1024), b)).toMatch(/element 0/)
  })
})
