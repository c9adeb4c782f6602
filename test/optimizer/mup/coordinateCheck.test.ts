import { type CoordinateCheckOptions, coordinateCheck } from 'tpu-toolkit/optimizer'
import { describe, expect, it } from 'vitest'
import { isLong } from '../../support/long.js'

const widths = isLong ? [64, 128, 256, 512, 1024] : [64, 128, 256, 512]

describe(`coordinateCheck, widths 64 to ${widths.at(-1)}, 5 steps of Adam`, () => {
  const slopeOf = (parametrization: CoordinateCheckOptions['parametrization']): number => {
    const { outputs, slope, ...given } = coordinateCheck({
      ...{ parametrization, seeds: [0] },
      ...(isLong ? {} : { widths }),
    })
    expect(given.widths).toEqual(widths)
    expect(outputs.every((size) => size > 0)).toBe(true)
    return slope
  }

  it("has slope 0 for 'mup', above 0.5 for 'standard', and 'inverse-sqrt' between", () => {
    const [muP, standard, between] = [slopeOf('mup'), slopeOf('standard'), slopeOf('inverse-sqrt')]
    expect(Math.abs(muP)).toBeLessThan(0.1)
    expect(standard).toBeGreaterThan(0.5)
    expect(between).toBeGreaterThan(muP + 0.2)
    expect(between).toBeLessThan(standard - 0.2)
  })

  it('gives the same numbers for every parametrization at the base width', () => {
    const sizes = (['mup', 'standard', 'inverse-sqrt'] as const).map(
      (parametrization) => coordinateCheck({ parametrization, widths: [16, 32], baseWidth: 16 }).outputs[0],
    )
    expect(new Set(sizes).size).toBe(1)
    expect(sizes[0]).toBeGreaterThan(0)
  })

  it.each([
    ['unknown parametrization, there are mup, standard, inverse-sqrt [ntk]', { parametrization: 'ntk' }],
    ['needs two widths and a seed [1, 3]', { widths: [64] }],
    ['needs two widths and a seed [5, 0]', { seeds: [] }],
    ['width is not a whole number, 1 or more [0]', { widths: [0, 64] }],
    ['baseWidth is not a whole number, 1 or more [0.5]', { baseWidth: 0.5 }],
    ['steps is not a whole number, 1 or more [0]', { steps: 0 }],
    ['learningRate is not a number from 0 to 1.7976931348623157e+308 [NaN]', { learningRate: Number.NaN }],
  ])('%s', (message, changes) => {
    const options = { parametrization: 'mup', ...changes } as CoordinateCheckOptions
    expect(() => coordinateCheck(options)).toThrow(RangeError)
    expect(() => coordinateCheck(options)).toThrow(`coordinateCheck: ${message}`)
  })
})
