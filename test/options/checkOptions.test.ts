import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  checkFunction,
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  nearestName,
  type OptionTable,
  shown,
} from '#options'

interface Options {
  readonly rate: number
  readonly axis?: number
  readonly order?: string
}

const names: OptionTable<Options> = { rate: 'required', axis: 'optional', order: 'optional' }

describe('checkOptions', () => {
  it.each([
    [{ rate: 1 }],
    [{ rate: 1, axis: undefined }],
    [{ rate: 0, axis: 1, order: 'x' }],
    [Object.assign(Object.create(null), { rate: 1 })],
  ])('takes %j', (options) => expect(checkOptions('f', options, names)).toBeUndefined())

  it.each([
    [{ rate: 1, axes: 0 }, RangeError, 'f: unknown option, did you mean axis [axes]'],
    [{ rate: 1, Order: 0 }, RangeError, 'f: unknown option, did you mean order [Order]'],
    [{ rate: 1, banana: 0 }, RangeError, 'f: unknown option, there are rate, axis, order [banana]'],
    [{ rate: 1, toString: 0 }, RangeError, 'f: unknown option, there are rate, axis, order [toString]'],
    [
      JSON.parse('{"rate":1,"__proto__":{}}'),
      RangeError,
      'f: unknown option, there are rate, axis, order [__proto__]',
    ],
    [{}, RangeError, 'f: option rate is missing [no options]'],
    [undefined, RangeError, 'f: option rate is missing [no options]'],
    [{ axis: 1 }, RangeError, 'f: option rate is missing [axis]'],
    [{ rate: undefined }, RangeError, 'f: option rate is missing [rate]'],
    [0, TypeError, 'f: options are not an object, write { axis: 0 } [0]'],
    ['bfloat16', TypeError, "f: options are not an object, write { axis: 'bfloat16' } [bfloat16]"],
    [[0, 1], TypeError, 'f: options are not an object, write { axis: [0, 1] } [0, 1]'],
    [null, TypeError, 'f: options are not an object, write { axis: null } [null]'],
    [new Map(), TypeError, 'f: options are not an object, write { axis: Map } [Map]'],
  ])('refuses %j', (options, kind, message) => {
    const call = (): void => checkOptions('f', options, names, { positional: 'axis' })
    expect(call).toThrow(new kind(message))
  })

  it('says nothing of a written form where there is none, nor of names where there are none', () => {
    expect(() => checkOptions('f', 5, {})).toThrow(new TypeError('f: options are not an object [5]'))
    expect(() => checkOptions('f', { x: 1 }, {})).toThrow(
      new RangeError('f: unknown option, there are none [x]'),
    )
  })

  it('an option that the table forgets does not compile', () => {
    expectTypeOf<{ rate: 'required'; axis: 'optional' }>().not.toExtend<OptionTable<Options>>()
    expectTypeOf<{ rate: 'optional'; axis: 'optional'; order: 'optional' }>().not.toExtend<
      OptionTable<Options>
    >()
  })
})

describe('nearestName', () => {
  it('gives the name back for any known name, capitals and separators not counted', () => {
    fc.assert(
      fc.property(fc.constantFrom('weightDecay', 'learningRate', 'b1', 'axis'), (name) => {
        const known = ['weightDecay', 'learningRate', 'b1', 'axis']
        expect(nearestName(name, known)).toBe(name)
        expect(
          nearestName(
            name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
            known,
          ),
        ).toBe(name)
      }),
    )
  })
  it.each([
    ['accumlate', 'accumulate'],
    ['sequental', undefined],
    ['', undefined],
    ['x', undefined],
  ])('nearestName(%s) is %s', (name, expected) =>
    expect(nearestName(name, ['axis', 'order', 'accumulate'])).toBe(expected),
  )
  it('is quick on absurd names', () => expect(nearestName('x'.repeat(1e6), ['axis'])).toBeUndefined())
})

describe('shown', () => {
  it.each([
    [Number.NaN, 'NaN'],
    [-0, '-0'],
    [5n, '5n'],
    [null, 'null'],
    [undefined, 'undefined'],
    [Symbol('s'), 'Symbol(s)'],
    ['', ''],
    [[], 'an empty array'],
    [[1, [2, -0], 'x'], '1, [2, -0], x'],
    [{}, 'an object'],
    [Object.create(null), 'an object'],
    [new Float32Array(2), 'Float32Array'],
    [Math.max, 'function max'],
    [new Error('why'), 'why'],
    ['x'.repeat(60), `${'x'.repeat(47)}...`],
  ])('shown(%o) is %s', (value, text) => expect(shown(value)).toBe(text))
})

describe('checks of values', () => {
  it.each([
    [() => checkName('f', 'order', 5, ['a']), 'f: unknown order, there are a [5]'],
    [() => checkInteger('f', 'n', '5'), 'f: n is not a whole number, 0 or more [5]'],
    [() => checkInteger('f', 'n', -1, 0, 4), 'f: n is not a whole number from 0 to 4 [-1]'],
    [() => checkNumber('f', 'x', Number.NaN), 'f: x is not a finite number [NaN]'],
    [
      () => checkNumber('f', 'x', Number.POSITIVE_INFINITY, 0),
      'f: x is not a finite number, 0 or more [Infinity]',
    ],
    [() => checkNumber('f', 'x', 2, 0, 1), 'f: x is not a number from 0 to 1 [2]'],
    [
      () => checkNumber('f', 'x', 2, Number.NEGATIVE_INFINITY, 1),
      'f: x is not a finite number, 1 or less [2]',
    ],
  ])('%s', (call, message) => expect(call).toThrow(new RangeError(message)))

  it('checkFunction names what is no function', () =>
    expect(() => checkFunction('f', 'g', {})).toThrow(new TypeError('f: g is not a function [an object]')))

  it('let pass what is right', () => {
    checkName('f', 'order', 'a', ['a'])
    checkInteger('f', 'n', 4, 0, 4)
    checkNumber('f', 'x', 1, 0, 1)
    checkFunction('f', 'g', () => 0)
  })
})
