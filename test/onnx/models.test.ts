import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { ModelProtoSchema, TensorProtoSchema } from 'onnx-buf'
import { explain, findFirstNonFinite, grad, record } from 'tpu-toolkit/autodiff'
import { compile } from 'tpu-toolkit/compile'
import { drift } from 'tpu-toolkit/numerics'
import { type OnnxModel, programOfOnnx, readOnnx } from 'tpu-toolkit/onnx'
import { shadow } from 'tpu-toolkit/precision'
import { mean, square, type Tensor, tensor } from 'tpu-toolkit/tensor'
import { describe, expect, it } from 'vitest'
import { storedTensor } from '../../src/programs/onnx/file/storedTensor.js'

/** A model of several operators, with what ONNX Runtime computes. */
interface Recorded {
  readonly model: string
  readonly inputs: Readonly<Record<string, string>>
  readonly outputs: Readonly<Record<string, string>>
}

const bytes = gunzipSync(readFileSync(new URL('../golden/onnx/models.json.gz', import.meta.url)))
const { models } = JSON.parse(bytes.toString()) as { readonly models: Readonly<Record<string, Recorded>> }

const fileOf = (name: string): Uint8Array => new Uint8Array(Buffer.from(models[name]!.model, 'base64'))
const modelOf = (name: string): OnnxModel => readOnnx(fileOf(name))

function tensorsOf(given: Readonly<Record<string, string>>): Record<string, Tensor> {
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => [
      name,
      storedTensor(fromBinary(TensorProtoSchema, Buffer.from(text, 'base64')), undefined),
    ]),
  )
}

/**
 * How far from ONNX Runtime each model may be, relative to its largest output: its products are summed in another order. The quantized
 * model ends in whole steps of its scale, and steps are equal.
 */
const bounds = {
  mlp: 2 ** -21,
  cnn: 2 ** -20,
  transformer: 2 ** -19,
  quantized: 0,
  four_bits: 2 ** -20,
  layer_norm_float16: 2 ** -10,
}

describe('programOfOnnx of whole models', () => {
  it.each(Object.entries(bounds))('%s gives what ONNX Runtime computes', (name, bound) => {
    const { inputs, outputs } = models[name]!
    const results = programOfOnnx(modelOf(name)).run(tensorsOf(inputs))
    for (const [output, expected] of Object.entries(tensorsOf(outputs))) {
      const actual = results[output]!
      expect([actual.dtype, actual.shape]).toEqual([expected.dtype, expected.shape])
      const largest = Math.max(...expected.toNumbers().map(Math.abs).filter(Number.isFinite))
      expect(drift(actual, expected).maxAbs).toBeLessThanOrEqual(bound * largest)
    }
  })

  it.each(['mlp', 'cnn', 'transformer', 'quantized'])('%s compiled has the bits of the program', (name) => {
    const program = programOfOnnx(modelOf(name))
    const inputs = tensorsOf(models[name]!.inputs)
    const compiled = compile(program.run)
    for (let i = 0; i < 2; i++) {
      const [a, b] = [compiled(inputs), program.run(inputs)]
      for (const output of Object.keys(b)) expect(a[output]!.toBits()).toEqual(b[output]!.toBits())
    }
  })

  it.each(['mlp', 'transformer'])('%s has gradients by its weights, as differences have', (name) => {
    const program = programOfOnnx(modelOf(name), { weights: 'arguments' })
    const inputs = tensorsOf(models[name]!.inputs)
    const output = program.outputs[0]!.name
    const floats = Object.fromEntries(
      Object.entries(program.weights).filter(([, x]) => x.dtype === 'float32'),
    )
    const loss = (weights: Record<string, Tensor>): Tensor =>
      mean(square(program.run(inputs, { ...program.weights, ...weights })[output]!))
    const gradients = grad(loss)(floats) as Record<string, Tensor>
    const weight = name === 'mlp' ? 'w1' : 'wqkv'
    const at = 7
    const moved = (by: number): number => {
      const values = floats[weight]!.toNumbers()
      values[at] = values[at]! + by
      return loss({ ...floats, [weight]: tensor(values, { shape: floats[weight]!.shape }) }).item()
    }
    // A central difference of float32: about three digits.
    const slope = (moved(1e-2) - moved(-1e-2)) / 2e-2
    expect(gradients[weight]!.toNumbers()[at]! / slope).toBeCloseTo(1, 2)
  })

  it('findFirstNonFinite of a float16 layer norm names the Python line of the Pow that overflows', () => {
    const program = programOfOnnx(modelOf('layer_norm_float16'))
    const { x } = tensorsOf(models['layer_norm_float16']!.inputs)
    const found = findFirstNonFinite(program.run({ x: record(x!) }))
    expect(found).toBeUndefined()
    const wide = tensor(
      x!.toNumbers().map((value) => value * 2),
      { shape: x!.shape, dtype: 'float16' },
    )
    // The infinite variance makes the row 0, which no output shows: the variance itself has to be watched.
    const variance = modelOf('layer_norm_float16')
    const watched = programOfOnnx({
      ...variance,
      graph: { ...variance.graph, outputs: [{ name: 'squares', dtype: 'float16', shape: undefined }] },
    })
    const event = findFirstNonFinite(watched.run({ x: record(wide) }))!
    expect(explain(event)).toContain('norm.py:12')
  })

  it('shadow of the float16 layer norm reports its steps by the Python lines', () => {
    const program = programOfOnnx(modelOf('layer_norm_float16'))
    const { x } = tensorsOf(models['layer_norm_float16']!.inputs)
    const report = shadow((inputs: Record<string, Tensor>) => program.run(inputs)['y']!, { x: x! })
    expect(report.report()).toContain('norm.py:')
  })
})

describe('programOfOnnx', () => {
  const program = programOfOnnx(modelOf('mlp'))

  it('refuses inputs that are missing, unknown, or of another dtype or shape', () => {
    expect(() => program.run({})).toThrow('programOfOnnx: input is missing [x]')
    expect(() => program.run({ y: tensor([1]) })).toThrow(
      'programOfOnnx: the model has no such input, it has x [y]',
    )
    expect(() => program.run({ x: tensor([[1]], { dtype: 'float16' }) })).toThrow(
      'programOfOnnx: input x is float32, cast it [float16]',
    )
    expect(() => program.run({ x: tensor([[1, 2]]) })).toThrow(
      'programOfOnnx: input x has shape [batch, 16] [1, 2]',
    )
    expect(() => program.run({ x: tensor([[1, 2]]) }, {})).toThrow('weights are constants')
  })

  it('refuses operators that it does not know, and suggests the nearest name', () => {
    const model = fromBinary(ModelProtoSchema, fileOf('mlp'))
    model.graph!.node[1]!.opType = 'Rellu'
    expect(() => programOfOnnx(readOnnx(toBinary(ModelProtoSchema, model)))).toThrow(
      /^programOfOnnx: operator is not known, the nearest is Relu \[Rellu, node_1 at forward \(model.py:11:1\)\]$/,
    )
  })
})

describe('readOnnx', () => {
  it('refuses bytes that are no model, and operators older than opset 13', () => {
    expect(() => readOnnx(new Uint8Array(0))).toThrow('readOnnx: bytes are no ONNX model')
    expect(() => readOnnx('model.onnx' as never)).toThrow('readOnnx: bytes are no Uint8Array')
    const old = create(ModelProtoSchema, {
      graph: {},
      opsetImport: [{ domain: '', version: 11n }],
    })
    expect(() => readOnnx(toBinary(ModelProtoSchema, old))).toThrow('opset is older than 13')
  })

  it('gives an error for every truncated or damaged file, and no other kind of error', () => {
    const whole = fileOf('quantized')
    for (let i = 0; i < 400; i++) {
      const damaged = i % 2 ? whole.slice(0, (i * 7919) % whole.length) : whole.slice()
      if (i % 2 === 0) damaged[(i * 7919) % whole.length]! ^= 1 << (i % 8)
      try {
        programOfOnnx(readOnnx(damaged)).run(tensorsOf(models['quantized']!.inputs))
      } catch (error) {
        expect(String(error)).toMatch(/^(RangeError|TypeError): \w+: /)
      }
    }
  })

  it('reads data that lie in a file beside the model', () => {
    const model = fromBinary(ModelProtoSchema, fileOf('mlp'))
    const first = model.graph!.initializer[0]!
    const data = new Uint8Array(8 + first.rawData.length)
    data.set(first.rawData, 8)
    first.rawData = new Uint8Array(0)
    first.dataLocation = 1
    first.externalData = [
      { key: 'location', value: 'weights.bin' },
      { key: 'offset', value: '8' },
      { key: 'length', value: String(data.length - 8) },
    ].map((entry) => ({ $typeName: 'onnx.StringStringEntryProto' as const, ...entry }))
    const file = toBinary(ModelProtoSchema, model)
    expect(() => readOnnx(file)).toThrow(
      'readOnnx: w1 lies in another file, give its bytes by `external` [weights.bin]',
    )
    const read = readOnnx(file, { external: (_, offset, length) => data.subarray(offset, offset + length!) })
    const inputs = tensorsOf(models['mlp']!.inputs)
    expect(programOfOnnx(read).run(inputs)['y']!.toBits()).toEqual(program(inputs))
  })
})

const program = (inputs: Record<string, Tensor>): unknown =>
  programOfOnnx(modelOf('mlp')).run(inputs)['y']!.toBits()
