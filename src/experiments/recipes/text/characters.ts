import { inflateSync } from 'fflate'
import { foldIn, key, randint } from '../../../tensors/random/index.js'
import { type Tensor, tensor } from '../../../tensors/tensor/index.js'
import { pagesText } from './pagesText.js'

/** The characters of the text are ASCII. */
export const vocabulary = 128

/** One part in so many of the text, its end, is never trained on. */
const heldOutShare = 10

/** Windows of the text and the character that follows each of theirs, both [batch, length]. */
export interface Crop {
  readonly tokens: Tensor<'int32'>
  readonly next: Tensor<'int32'>
}

/** Which windows are taken. */
export interface CropSizes {
  readonly batch: number
  readonly length: number
}

let whole: Uint8Array | undefined

/** The text, one byte a character. */
export function characters(): Uint8Array {
  whole ??= inflateSync(Uint8Array.from(atob(pagesText), (letter) => letter.charCodeAt(0)))
  return whole
}

/** The windows of one step of training, drawn from the first nine tenths of the text. */
export function trainingCrop(seed: number, step: number, sizes: CropSizes): Crop {
  const text = characters()
  const end = text.length - Math.floor(text.length / heldOutShare)
  const places = randint(foldIn(foldIn(key(seed), 1), step), sizes.batch, {
    minval: 0,
    maxval: end - sizes.length,
  })
  return cropAt(text, Array.from(places), sizes.length)
}

/** Evenly spaced windows of the last tenth: the same for every seed and arm. */
export function heldOutCrop({ batch, length }: CropSizes): Crop {
  const text = characters()
  const begin = text.length - Math.floor(text.length / heldOutShare)
  const last = text.length - length - 1
  const places = Array.from({ length: batch }, (_, i) =>
    Math.floor(begin + ((last - begin) * i) / Math.max(1, batch - 1)),
  )
  return cropAt(text, places, length)
}

function cropAt(text: Uint8Array, places: readonly number[], length: number): Crop {
  const rows = (shift: number): Tensor<'int32'> =>
    tensor(
      places.map((place) => Array.from(text.subarray(place + shift, place + shift + length))),
      { dtype: 'int32' },
    )
  return { tokens: rows(0), next: rows(1) }
}
