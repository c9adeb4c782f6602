import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { fromBinary } from '@bufbuild/protobuf'
import { TensorProtoSchema } from 'onnx-buf'
import { onnxOperators, programOfOnnx, readOnnx } from 'tpu-toolkit/onnx'
import { dtypeFacts, type Tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { storedTensor } from '../../src/programs/onnx/file/storedTensor.js'

/** A model of one operator with inputs and outputs, from ONNX's own tests. */
interface Case {
  readonly name: string
  readonly operators: readonly string[]
  readonly rtol: number
  readonly atol: number
  readonly model: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
}

const bytes = gunzipSync(readFileSync(new URL('../golden/onnx/nodes.json.gz', import.meta.url)))
const { cases } = JSON.parse(bytes.toString()) as { readonly cases: readonly Case[] }

function given(text: string): Tensor {
  return storedTensor(fromBinary(TensorProtoSchema, Buffer.from(text, 'base64')), undefined)
}

/** What is wrong with a result, if anything: ONNX's own tolerance for floating point, none for the rest. */
function difference(
  name: string,
  actual: Tensor,
  expected: Tensor,
  rtol: number,
  atol: number,
): string | undefined {
  if (actual.dtype !== expected.dtype) return `${name} is ${actual.dtype}, not ${expected.dtype}`
  if (actual.shape.join() !== expected.shape.join()) {
    return `${name} has shape ${actual.shape}, not ${expected.shape}`
  }
  const [a, b] = [actual.toNumbers(), expected.toNumbers()]
  // ONNX's reference rounds every step of an operator to bfloat16 or float16, we and ONNX Runtime once: up to 4 ulps apart.
  const half = actual.dtype === 'bfloat16' || actual.dtype === 'float16'
  const relative = half ? Math.max(rtol, 4 * dtypeFacts(actual.dtype).eps) : rtol
  for (const [i, wanted] of b.entries()) {
    const found = a[i]!
    if (Object.is(found, wanted) || found === wanted) continue
    if (Number.isNaN(found) && Number.isNaN(wanted)) continue
    if (Math.abs(found - wanted) <= atol + relative * Math.abs(wanted)) continue
    return `${name}[${i}] is ${found}, not ${wanted}`
  }
  return undefined
}

function run({ model: text, inputs, outputs, rtol, atol }: Case): string | undefined {
  const model = readOnnx(Buffer.from(text, 'base64'))
  const program = programOfOnnx(model)
  const names = model.graph.inputs.map(({ name }) => name)
  const results = program.run(Object.fromEntries(inputs.map((input, i) => [names[i]!, given(input)])))
  for (const [i, { name }] of program.outputs.entries()) {
    const wrong = difference(name, results[name]!, given(outputs[i]!), rtol, atol)
    if (wrong !== undefined) return wrong
  }
  return undefined
}

const known = new Set(onnxOperators())
// A mask drawn in training mode follows the runtime's own generator.
const random = /^test_training_dropout_(default|mask)|^test_training_dropout(_default_mask)?$/
const taken = cases.filter(
  ({ name, operators }) => operators.every((operator) => known.has(operator)) && !random.test(name),
)
const groups = new Map<string, Case[]>()
for (const one of taken) {
  const group = one.operators.length === 1 ? one.operators[0]! : 'several operators'
  groups.set(group, [...(groups.get(group) ?? []), one])
}

describe("ONNX's own tests of its operators", () => {
  it.each([...groups])('%s gives their outputs', (_, list) => {
    const wrong = list.flatMap((one) => {
      try {
        const found = run(one)
        return found === undefined ? [] : [`${one.name}: ${found}`]
      } catch (error) {
        return [`${one.name}: ${(error as Error).message}`]
      }
    })
    expect(wrong).toEqual([])
  })

  it(`are ${taken.length} of ${cases.length}`, () => {
    expect(taken.length).toBeGreaterThan(0)
  })
})
