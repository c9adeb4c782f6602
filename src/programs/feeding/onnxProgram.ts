import { Tensor } from '../../tensors/tensor/index.js'
import { type OnnxModel, programOfOnnx } from '../onnx/index.js'
import type { ArgumentTree, Program, ProgramParameter, ProgramValue } from '../stablehlo/index.js'

/** An axis whose length the model leaves open, as `batch`: any length fits. */
export const openAxis = -1

/** An ONNX model as a program with named arguments and results, and the source files that its nodes name. */
export function onnxProgram(model: OnnxModel): {
  readonly program: Program
  readonly files: ReadonlySet<string>
} {
  const { inputs, outputs, run } = programOfOnnx(model)
  const parameter = ({ name, dtype, shape }: (typeof inputs)[number]): ProgramParameter => {
    if (dtype === undefined) throw new TypeError(`programOfOnnx: ${name} is no tensor of numbers []`)
    return {
      name,
      dtype,
      isComplex: false,
      shape: (shape ?? []).map((length) => (typeof length === 'number' ? length : openAxis)),
      attributes: {},
    }
  }
  const given = inputs.map(parameter)
  const named = (values: ArgumentTree): Record<string, ProgramValue> => {
    const tensors = Object.entries(values).filter(
      (entry): entry is [string, Tensor] => entry[1] instanceof Tensor,
    )
    return run(Object.fromEntries(tensors))
  }
  const frames = model.graph.nodes.flatMap((node) => node.frames)
  const files = new Set(frames.flatMap((frame) => /\((.*):\d+:\d+\)$/.exec(frame)?.[1] ?? []))
  const program: Program = {
    name: model.graph.name,
    arguments: given,
    results: outputs.map(parameter),
    semantics: { dot: 'float32', reduce: 'sequential', rounding: 'each', divideByZero: 'xla' },
    run: (...values) => {
      const results = named(Object.fromEntries(given.map(({ name }, i) => [name, values[i]!])))
      return outputs.map(({ name }) => results[name]!)
    },
    runNamed: named,
  }
  return { program, files }
}
