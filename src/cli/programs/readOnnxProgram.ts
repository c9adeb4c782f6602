import { closeSync, existsSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { onnxProgram } from '../../programs/feeding/index.js'
import { readOnnx } from '../../programs/onnx/index.js'
import type { Program } from '../../programs/stablehlo/index.js'

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
  return onnxProgram(model)
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
