import { type StorageName, storageType } from '../../numbers/storage/index.js'
import type { StoredDType } from './storedDtype.js'

/** A tensor type of GGUF: how many numbers a block has, and in how many bytes. */
export interface GgufType {
  readonly name: string
  readonly blockSize: number
  readonly blockBytes: number
  /** A plain dtype, by safetensors' name for it. */
  readonly plain?: StoredDType
  /** A storage format that `fromStorage` decodes. */
  readonly storage?: StorageName
}

const plain = (name: string, plain: StoredDType, blockBytes: number): GgufType => ({
  ...{ name, plain, blockSize: 1, blockBytes },
})

function stored(storage: StorageName): GgufType {
  const { blockSize, blockBytes } = storageType(storage)
  return { name: storage.toUpperCase(), storage, blockSize, blockBytes }
}

/** Types of which only the size is known here: their numbers are not read. */
const opaque = (name: string, blockSize: number, blockBytes: number): GgufType => ({
  name,
  blockSize,
  blockBytes,
})

/** ggml's numbers of types. Source: ggml-org/llama.cpp, gguf-py 0.19.0 (gguf/constants.py). */
export const ggufTypes: ReadonlyMap<number, GgufType> = new Map<number, GgufType>([
  [0, plain('F32', 'F32', 4)],
  [1, plain('F16', 'F16', 2)],
  [2, stored('q4_0')],
  [3, stored('q4_1')],
  [6, stored('q5_0')],
  [7, stored('q5_1')],
  [8, stored('q8_0')],
  [9, opaque('Q8_1', 32, 40)],
  [10, stored('q2_k')],
  [11, stored('q3_k')],
  [12, stored('q4_k')],
  [13, stored('q5_k')],
  [14, stored('q6_k')],
  [15, opaque('Q8_K', 256, 292)],
  [16, opaque('IQ2_XXS', 256, 66)],
  [17, opaque('IQ2_XS', 256, 74)],
  [18, opaque('IQ3_XXS', 256, 98)],
  [19, opaque('IQ1_S', 256, 50)],
  [20, stored('iq4_nl')],
  [21, opaque('IQ3_S', 256, 110)],
  [22, opaque('IQ2_S', 256, 82)],
  [23, stored('iq4_xs')],
  [24, plain('I8', 'I8', 1)],
  [25, plain('I16', 'I16', 2)],
  [26, plain('I32', 'I32', 4)],
  [27, plain('I64', 'I64', 8)],
  [28, plain('F64', 'F64', 8)],
  [29, opaque('IQ1_M', 256, 56)],
  [30, plain('BF16', 'BF16', 2)],
  [34, opaque('TQ1_0', 256, 54)],
  [35, opaque('TQ2_0', 256, 66)],
  [39, stored('mxfp4')],
  [40, opaque('NVFP4', 64, 36)],
  [41, opaque('Q1_0', 128, 18)],
])
