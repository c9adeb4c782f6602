import { terminalText } from '../../base/text/index.js'
import { type PiecewiseTensor, piecewise } from '../../tensors/blocks/index.js'
import { cast, isFloat, type Tensor } from '../../tensors/tensor/index.js'
import { type GgufFile, openGguf, openSafetensors, type SafetensorsFile } from '../../training/files/index.js'
import { BadInput } from './badInput.js'

/** A tensor of an open file, of which pieces are read when they are asked for. */
export interface FileTensor extends PiecewiseTensor {
  /** The dtype, or the name of a GGUF file's type. */
  readonly dtype: string
}

/** A tensor that is left out, and why. */
export interface Skipped {
  readonly name: string
  readonly why: string
}

/** The tensors of an open safetensors or GGUF file that hold floats, and the others with the reason. */
export interface FloatTensors {
  readonly tensors: readonly FileTensor[]
  readonly skipped: readonly Skipped[]
  /** Closes the file. */
  readonly close: () => void
}

/** Opens a safetensors file, or a GGUF file by its name's end; anything that is wrong with it, now or in reading, is bad input. */
export function openFloatTensors(path: string): FloatTensors {
  const isGguf = path.toLowerCase().endsWith('.gguf')
  const file = sound(`not ${isGguf ? 'GGUF' : 'safetensors'}`, path, () =>
    isGguf ? openGguf(path) : openSafetensors(path),
  )
  const tensors: FileTensor[] = []
  const skipped: Skipped[] = []
  for (const entry of file.entries) {
    const { name, dtype, shape, bytes } = entry
    const shown = terminalText(name)
    const stored = 'stored' in entry ? entry.stored : entry.type
    if (dtype === undefined || !isFloat(dtype)) {
      skipped.push({ name: shown, why: `dtype ${stored}` })
    } else if (bytes === 0) {
      skipped.push({ name: shown, why: 'no values' })
    } else {
      const values = piecewise(shown, shape, reader(path, file, name))
      tensors.push({ dtype: 'stored' in entry ? dtype : stored, ...values })
    }
  }
  return { tensors, skipped, close: () => file.close() }
}

function reader(
  path: string,
  file: SafetensorsFile | GgufFile,
  name: string,
): (from: number, to: number) => Float32Array | Float64Array {
  return (from, to) => numbersOf(sound('cannot read', path, () => file.readElements(name, from, to)))
}

function numbersOf(x: Tensor): Float32Array | Float64Array {
  return x.data instanceof Float64Array ? x.data : cast(x, 'float32').data
}

function sound<T>(what: string, path: string, use: () => T): T {
  try {
    return use()
  } catch (thrown) {
    if (thrown instanceof RangeError) {
      throw new BadInput(`${what}: ${terminalText(path)} [${terminalText(thrown.message)}]`)
    }
    if (thrown instanceof Error && ('syscall' in thrown || 'code' in thrown)) {
      throw new BadInput(`cannot read: ${terminalText(path)} [${terminalText(thrown.message)}]`)
    }
    throw thrown
  }
}
