import { siteOf, type Tensor } from 'tpu-toolkit'
import { findFirstNonFinite, graphOf } from 'tpu-toolkit/autodiff'
import { certify, shadow, tune } from 'tpu-toolkit/precision'
import { parse, programOf } from 'tpu-toolkit/stablehlo'
import { recordEverything } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { arrayType, valueOfBytes } from '../../scripts/stablehlo/values.js'
import { isLong } from '../support/long.js'
import { stablehloKeys } from '../support/stablehloKeys.js'

/** Where a mistake is planted: the line of the text whose result is spoilt, and that result's type. */
interface Place {
  readonly line: number
  readonly type: string
}

/** A line of a function's own body with one elementwise result of floats, spoilt without a change of type. */
const operation =
  /^ {4}(%\w+) = (stablehlo\.(?:add|subtract|multiply|divide|tanh|exponential|maximum) .*: (tensor<(?:\d+x)*(f32|f16|bf16)>))(?: loc\(.*\))?$/

/** Lines of `@main` where a mistake can stand. */
function placesOf(text: string): readonly Place[] {
  const lines = text.split('\n')
  const begin = lines.findIndex((line) => /func\.func public @main/.test(line))
  const end = lines.findIndex((line, i) => i > begin && /^ {2}\}/.test(line))
  return lines.slice(begin, end).flatMap((line, i) => {
    const type = operation.exec(line)?.[3]
    return type === undefined ? [] : [{ line: begin + i, type }]
  })
}

/** A text in which `mistake` stands behind an operation: its lines read %planted and give %result. */
function planted(text: string, { line }: Place, mistake: (type: string) => readonly string[]): string {
  const lines = text.split('\n')
  const [, result, rest, type] = operation.exec(lines[line]!)!
  lines.splice(
    line,
    1,
    `    %planted = ${rest}`,
    ...mistake(type!).map((one) => `    ${one.replaceAll('%result', result!)}`),
  )
  return lines.join('\n')
}

const site = 'model.py:7:3'
const at = 'loc("/home/me/model.py":7:3)'

/** 0 / 0 in every element. */
function notANumber(type: string): readonly string[] {
  return [
    `%plantedZero = stablehlo.subtract %planted, %planted : ${type}`,
    `%result = stablehlo.divide %plantedZero, %plantedZero : ${type} ${at}`,
  ]
}

/** x + c - c: of numbers near 1, this keeps six bits. */
function lossOfBits(type: string): readonly string[] {
  const bits = type.endsWith('xbf16>') || type === 'tensor<bf16>' ? 4 : type.includes('xf16') ? 7 : 20
  return [
    `%plantedLarge = stablehlo.constant dense<${2 ** bits}.0> : ${type}`,
    `%plantedSum = stablehlo.add %planted, %plantedLarge : ${type} ${at}`,
    `%result = stablehlo.subtract %plantedSum, %plantedLarge : ${type} ${at}`,
  ]
}

const names = [
  'mlp loss and gradient float32',
  'mlp step of sgd bfloat16',
  'mlp loss and gradient float16',
  'mlp step of clip zero_nans adamw float32',
  'cnn with average pooling, loss and gradient float32',
  'transformer loss float32',
  'transformer loss bfloat16',
  'attention with a causal mask f32',
  'layer norm and its gradient bf16',
  'optax adamw',
  'optax rmsprop',
  'optax lamb',
  'gru over a sequence, loss and gradient float32',
  'ssd in chunks f32',
  'ssm factorized float32',
  'generalised advantage estimation f32',
  'custom_vjp and custom_jvp',
  'kalman filter step f32',
  'ode by runge-kutta f32',
  'batch norm in training f32',
  'rotary embedding bf16',
  'mixture of experts routing f32',
  'vector quantisation f32',
]
const keys = stablehloKeys('whole').filter(({ name }) => names.includes(name))

/** Up to `count` places of a text, spread over it. */
function spread(places: readonly Place[], count: number): readonly Place[] {
  if (places.length <= count) return places
  return Array.from({ length: count }, (_, i) => places[Math.floor(((i + 0.5) * places.length) / count)]!)
}

type Values = readonly Tensor[]

const functionOf =
  (text: string): ((values: Values) => Values) =>
  (values) =>
    programOf(parse(text)).run(...values) as Values
const allFinite = (values: Values): boolean =>
  values.every((value) => value.toNumbers().every(Number.isFinite))

describe('a mistake planted in a program of JAX', () => {
  // The long run has 4 places of each program: 80 divisions by zero and 56 losses of more than two bits.
  const places = isLong ? 4 : 1
  const least = isLong ? 50 : 12
  const runs = keys.flatMap((key) => {
    const values = key.arguments.map(({ type, bytes }) => valueOfBytes(arrayType(type), bytes) as Tensor)
    if (!allFinite(functionOf(key.text)(values))) return []
    const outputs = shadow(functionOf(key.text), values, { sites: false }).outputs()
    return spread(placesOf(key.text), places).map((place) => ({ ...key, values, outputs, place }))
  })

  it('of 0 / 0 is where findFirstNonFinite finds the first value that is not finite', () => {
    const missed: string[] = []
    let count = 0
    for (const { name, text, values, place } of runs) {
      const f = functionOf(planted(text, place, notANumber))
      const results = recordEverything(() => f(values), { sites: true })
      const bad = results.find((result) => !allFinite([result]))
      if (bad === undefined) continue
      count++
      const { index } = findFirstNonFinite(bad)!
      const found = siteOf(graphOf([bad])[index]!.output.trace!)
      if (found !== site) missed.push(`${name}, line ${place.line + 1}: ${found}`)
    }
    expect(missed).toEqual([])
    expect(count).toBeGreaterThanOrEqual(least)
  })

  it('that costs an output two bits is the first line that shadow names, and in what tune keeps wide', () => {
    const missed: string[] = []
    let count = 0
    for (const { name, text, values, outputs, place } of runs) {
      const f = functionOf(planted(text, place, lossOfBits))
      const report = shadow(f, values)
      const lost = report.outputs().map((output, i) => ({ ...output, bits: output.mean - outputs[i]!.mean }))
      const worst = lost.reduce((one, other) => (other.bits > one.bits ? other : one))
      if (worst.bits < 2) continue
      count++
      const where = `${name}, line ${place.line + 1}`
      const [first] = report.groups(worst.name)
      if (first?.site !== site) missed.push(`${where}: ${first?.site}`)
      // What the text has in float32 is wide already.
      if (!/bf16>$/.test(place.type)) continue
      const at = report.program.names.indexOf(worst.name)
      const target = { meanBits: worst.mean - 1 }
      const { met, wide, groups } = tune((all: Values) => f(all)[at]!, values, { target })
      const sites = groups.filter((group) => wide.includes(group.name)).flatMap((group) => group.sites)
      if (!met || !sites.some((one) => one.startsWith(site))) missed.push(`${where}: tune ${met} ${sites}`)
    }
    expect(missed).toEqual([])
    expect(count).toBeGreaterThanOrEqual(least)
  })

  it('is within the bound that certify gives, and makes it larger', () => {
    const missed: string[] = []
    let count = 0
    for (const { name, text, values, place } of runs) {
      const f = functionOf(planted(text, place, lossOfBits))
      const report = shadow(f, values, { sites: false })
      if (report.divergences.length > 0) continue
      const { bounds } = certify(f, values, { check: false })
      const before = certify(functionOf(text), values, { check: false }).bounds
      for (const [i, output] of report.program.outputs.entries()) {
        if (typeof output !== 'number' || output < values.length) continue
        if (!report.outputs().some((one) => one.name === report.program.names[i])) continue
        const { computed, reference } = report.errors(output - values.length)
        const bound = bounds[i]!.data
        // The reference is computed in float64, so its own error is a few ulps of that.
        const outside = bound.findIndex(
          (b, k) => Math.abs(computed[k]! - reference[k]!) > b + Math.abs(reference[k]!) * 2 ** -46,
        )
        if (outside >= 0) missed.push(`${name}, line ${place.line + 1}: output ${i}[${outside}]`)
        if (bound.some((b, k) => b > before[i]!.data[k]!)) count++
      }
    }
    expect(missed).toEqual([])
    expect(count).toBeGreaterThanOrEqual(least)
  })
})
