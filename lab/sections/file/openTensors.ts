import { type PiecewiseTensor, piecewise } from 'tpu-toolkit/blocks'
import { type ByteSource, npyOver, safetensorsOver } from 'tpu-toolkit/files'
import { cast, dtypes, isFloat, type Tensor } from 'tpu-toolkit/tensor'

/** A float tensor of the file, read a piece at a time. */
export interface OpenTensor extends PiecewiseTensor {
  readonly dtype: string
}

/** The float tensors of a file, and the others with the reason. */
export interface OpenTensors {
  readonly kind: 'safetensors' | 'npy'
  readonly tensors: readonly OpenTensor[]
  readonly skipped: readonly { readonly name: string; readonly why: string }[]
}

const npyMagic = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59]

/** Opens what the first bytes say it is: npy, else safetensors; what is neither throws and says what is wrong. */
export function openTensors(source: ByteSource): OpenTensors {
  const begin = source.read(0, Math.min(source.size, npyMagic.length))
  const isNpy = begin.length === npyMagic.length && npyMagic.every((byte, i) => begin[i] === byte)
  return isNpy ? openArray(source) : openNamed(source)
}

function openNamed(source: ByteSource): OpenTensors {
  const file = safetensorsOver(source)
  const tensors: OpenTensor[] = []
  const skipped: { name: string; why: string }[] = []
  for (const { name, dtype, stored, shape, bytes } of file.entries) {
    if (dtype === undefined || !isFloat(dtype)) {
      skipped.push({ name, why: `dtype ${stored}` })
    } else if (bytes === 0) {
      skipped.push({ name, why: 'no values' })
    } else {
      const read = (from: number, to: number) => numbersOf(file.readElements(name, from, to))
      tensors.push({ dtype, ...piecewise(name, shape, read) })
    }
  }
  return { kind: 'safetensors', tensors, skipped }
}

function openArray(source: ByteSource): OpenTensors {
  const file = npyOver(source)
  const { dtype, shape } = file
  const name = 'the array'
  const skip = (why: string): OpenTensors => ({ kind: 'npy', tensors: [], skipped: [{ name, why }] })
  if (!dtypes.some((one) => one === dtype && isFloat(one))) return skip(`dtype ${dtype}`)
  if (shape.some((side) => side === 0)) return skip('no values')
  const read = (from: number, to: number) => numbersOf(file.readElements(from, to))
  return { kind: 'npy', tensors: [{ dtype, ...piecewise(name, shape, read) }], skipped: [] }
}

function numbersOf(x: Tensor): Float32Array | Float64Array {
  return x.data instanceof Float64Array ? x.data : cast(x, 'float32').data
}
