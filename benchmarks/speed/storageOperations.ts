import { fromStorage, type StorageName, storageType, toStorage } from 'tpu-toolkit/storage'
import { n, values } from './inputs.js'
import { checkEqual, type Operation } from './operation.js'

const names: readonly StorageName[] = ['q8_0', 'q4_0', 'q4_k', 'nf4']

/** The storage formats of GGUF and bitsandbytes, into bytes and back; the bytes are checked block by block. */
export const storageOperations: readonly Operation[] = names.flatMap((name): Operation[] => {
  const { blockSize, blockBytes } = storageType(name)
  return [
    {
      op: `quantize ${name}`,
      n,
      bytes: 4 + blockBytes / blockSize,
      prepare(n) {
        const input = values(1, n)
        let stored: Uint8Array = new Uint8Array(0)
        return {
          run: () => {
            stored = toStorage(input, name)
          },
          check: () => {
            for (let b = 0; b < n / blockSize; b += 97) {
              const block = toStorage(input.slice(b * blockSize, (b + 1) * blockSize), name)
              checkEqual(`quantize ${name}`, block, (i) => stored[b * blockBytes + i]!)
            }
          },
        }
      },
    },
    {
      op: `dequantize ${name}`,
      n,
      bytes: 4 + blockBytes / blockSize,
      prepare(n) {
        const stored = toStorage(values(1, n), name)
        let restored: Float32Array = new Float32Array(0)
        return {
          run: () => {
            restored = fromStorage(stored, name)
          },
          check: () => {
            for (let b = 0; b < n / blockSize; b += 97) {
              const block = fromStorage(stored.slice(b * blockBytes, (b + 1) * blockBytes), name)
              checkEqual(`dequantize ${name}`, block, (i) => restored[b * blockSize + i]!)
            }
          },
        }
      },
    },
  ]
})
