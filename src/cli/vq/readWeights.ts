import { terminalText } from '../../base/text/index.js'
import { type FloatDType, isFloat, sizeOf, Tensor, tensor } from '../../tensors/tensor/index.js'
import { type NpyFile, openNpy } from '../../training/files/index.js'
import { BadInput } from '../io/badInput.js'
import { openFloatTensors, type Skipped } from '../io/openFloatTensors.js'

/** The float tensors of a file that have two axes and more, by name, and the others with the reason. */
export interface WeightsOfFile {
  readonly tensors: Readonly<Record<string, Tensor>>
  readonly skipped: readonly Skipped[]
}

/** Reads a safetensors file, or one array of NumPy; what is wrong with it is bad input. */
export function readWeights(path: string): WeightsOfFile {
  return path.endsWith('.npy') ? fromNpy(path) : fromSafetensors(path)
}

function fromSafetensors(path: string): WeightsOfFile {
  const file = openFloatTensors(path)
  const skipped = [...file.skipped]
  const tensors = new Map<string, Tensor>()
  try {
    for (const { name, dtype, shape, pieces } of file.tensors) {
      if (shape.length < 2) {
        skipped.push({ name, why: 'one axis' })
        continue
      }
      const values = new Float64Array(sizeOf(shape))
      let at = 0
      for (const piece of pieces()) {
        values.set(piece.values, at)
        at += piece.values.length
      }
      keep(name, tensor(values, { shape, dtype: dtype as FloatDType }), { tensors, skipped })
    }
  } finally {
    file.close()
  }
  return checked(tensors, skipped)
}

function fromNpy(path: string): WeightsOfFile {
  const [tensors, skipped] = [new Map<string, Tensor>(), [] as Skipped[]]
  let file: NpyFile | undefined
  try {
    file = openNpy(path)
    const x = file.read()
    if (!(x instanceof Tensor) || !isFloat(x.dtype)) skipped.push({ name: 'array', why: 'no floats' })
    else if (x.rank < 2) skipped.push({ name: 'array', why: 'one axis' })
    else keep('array', x, { tensors, skipped })
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown
    throw new BadInput(`cannot read: ${terminalText(path)} [${terminalText(thrown.message)}]`)
  } finally {
    file?.close()
  }
  return checked(tensors, skipped)
}

interface Found {
  readonly tensors: Map<string, Tensor>
  readonly skipped: Skipped[]
}

function keep(name: string, x: Tensor, { tensors, skipped }: Found): void {
  if (x.size === 0) skipped.push({ name, why: 'no values' })
  else if (!x.toNumbers().every(Number.isFinite)) skipped.push({ name, why: 'Inf or NaN' })
  else tensors.set(name, x)
}

function checked(tensors: ReadonlyMap<string, Tensor>, skipped: readonly Skipped[]): WeightsOfFile {
  if (tensors.size === 0) {
    const reasons = skipped.slice(0, 3).map(({ name, why }) => `${name}: ${why}`)
    throw new BadInput(
      `no float tensor of two axes [${reasons.join('; ')}${skipped.length > 3 ? '; ...' : ''}]`,
    )
  }
  return { tensors: Object.fromEntries(tensors), skipped }
}
