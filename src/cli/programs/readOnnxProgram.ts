import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { programOfOnnx, readOnnx } from '../../programs/onnx/index.js'
import type { ArgumentTree, Program, ProgramParameter, ProgramValue } from '../../programs/stablehlo/index.js'
import { Tensor } from '../../tensors/tensor/index.js'

/** An axis whose length the model leaves open, as `batch`: any length fits. */
export const openAxis = -1

/** An ONNX model as a program, and the source files that its nodes name. */
export interface OnnxFile {
  readonly program: Program
  readonly files: ReadonlySet<string>
}

/** An ONNX model as a program with named arguments and results; data in files beside it are read as they are asked for. */
export function readOnnxProgram(path: string): OnnxFile {
  const model = readOnnx(new Uint8Array(readFileSync(path)), {
    external: (file, offset, length) => bytesBeside(path, file, offset, length),
  })
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
    semantics: { dot: 'float32', reduce: 'sequential', rounding: 'each' },
    run: (...values) => {
      const results = named(Object.fromEntries(given.map(({ name }, i) => [name, values[i]!])))
      return outputs.map(({ name }) => results[name]!)
    },
    runNamed: named,
  }
  return { program, files }
}

/** Bytes of a file in the folder of the model; a path that leads out of it is refused. */
function bytesBeside(model: string, file: string, offset: number, length: number | undefined): Uint8Array {
  const folder = resolve(dirname(model))
  const path = join(folder, file)
  if (relative(folder, path).startsWith('..') || !existsSync(path)) {
    throw new RangeError(`readOnnx: no such file beside the model [${file}]`)
  }
  const { size } = statSync(path)
  const count = length ?? size - offset
  if (!(offset >= 0 && count >= 0 && offset + count <= size)) {
    throw new RangeError(
      `readOnnx: data lie outside of the file beside the model [${file}, ${offset} + ${count} of ${size}]`,
    )
  }
  const bytes = new Uint8Array(count)
  const descriptor = openSync(path, 'r')
  try {
    readSync(descriptor, bytes, 0, count, offset)
  } finally {
    closeSync(descriptor)
  }
  return bytes
}
