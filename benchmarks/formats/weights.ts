import { type PiecewiseTensor, piecewise } from 'tpu-toolkit/blocks'
import { openSafetensors, type SafetensorsEntry, type SafetensorsFile } from 'tpu-toolkit/files'
import { terminalText } from 'tpu-toolkit/report'
import { cast, isFloat, type Tensor } from 'tpu-toolkit/tensor'

/** What is wrong with a weights file, in one line. */
export class WeightsError extends Error {}

/** The tensors of a safetensors file: those that hold floats, and the names of the others with the reason. */
export interface Weights {
  readonly tensors: readonly PiecewiseTensor[]
  readonly skipped: readonly { readonly name: string; readonly why: string }[]
  readonly close: () => void
}

/** Opens a safetensors file. Tensors are read piece by piece when they are asked for; it stays open until `close`. */
export function openWeights(path: string): Weights {
  const file = sound(() => openSafetensors(path))
  const reasons = file.entries.map((entry) => ({ entry, why: skipReason(entry) }))
  return {
    tensors: reasons.flatMap(({ entry, why }) => (why === undefined ? [tensorOf(file, entry)] : [])),
    skipped: reasons.flatMap(({ entry, why }) =>
      why === undefined ? [] : [{ name: terminalText(entry.name), why }],
    ),
    close: () => file.close(),
  }
}

function skipReason({ dtype, stored, bytes }: SafetensorsEntry): string | undefined {
  if (dtype === undefined || !isFloat(dtype)) return `dtype ${stored}`
  return bytes === 0 ? 'no values' : undefined
}

function tensorOf(file: SafetensorsFile, { name, shape }: SafetensorsEntry): PiecewiseTensor {
  return piecewise(terminalText(name), shape, (from, to) =>
    numbers(sound(() => file.readElements(name, from, to))),
  )
}

const numbers = (x: Tensor): Float32Array | Float64Array =>
  x.data instanceof Float64Array ? x.data : cast(x, 'float32').data

/** What the file is at fault for, and what the system refuses, as a WeightsError. */
function sound<T>(use: () => T): T {
  try {
    return use()
  } catch (thrown) {
    if (thrown instanceof RangeError || (thrown instanceof Error && 'code' in thrown))
      throw new WeightsError(thrown.message)
    throw thrown
  }
}
