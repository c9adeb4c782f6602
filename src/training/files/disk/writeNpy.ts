import { checkPath } from '../../../base/options/index.js'
import type { Tensor } from '../../../tensors/tensor/index.js'
import { writeFileAtomic } from '../atomic/writeFileAtomic.js'
import { piecesOfNpy } from '../encodeNpy.js'

/** Writes a tensor as an npy file, as `encodeNpy` lays it out and as `writeFileAtomic` writes. */
export function writeNpy(path: string | URL, x: Tensor): void {
  checkPath('writeNpy', path)
  writeFileAtomic(path, piecesOfNpy('writeNpy', x))
}
