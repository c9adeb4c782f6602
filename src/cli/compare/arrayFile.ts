import { terminalText } from '../../base/text/index.js'
import { Tensor } from '../../tensors/tensor/index.js'
import { readNpz, readSafetensors } from '../../training/files/index.js'
import { BadInput } from '../io/badInput.js'

/** Whether an argument of `compare` names a file of named arrays. */
export function isArrayFile(path: string): boolean {
  return /\.(safetensors|npz)$/.test(path)
}

/** The tensors of a file by name, in the order of the file; arrays that no tensor can have are left out. */
export function readArrayFile(path: string): ReadonlyMap<string, Tensor> {
  try {
    const stored = path.endsWith('.npz') ? readNpz(path) : readSafetensors(path).tensors
    return new Map(
      Object.entries(stored).filter((entry): entry is [string, Tensor] => entry[1] instanceof Tensor),
    )
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown
    throw new BadInput(`cannot read ${terminalText(path)} [${terminalText(thrown.message)}]`)
  }
}
