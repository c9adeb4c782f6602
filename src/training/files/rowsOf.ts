import type { Shape } from '../../tensors/tensor/index.js'

/** How many rows start to end are, and the bytes of one row; refused where the array has no such rows. */
export function rowsOf(
  op: string,
  where: string,
  { shape, bytes }: { readonly shape: Shape; readonly bytes: number },
  start: number,
  end: number,
  what = 'rows',
): [rows: number, rowBytes: number] {
  const length = shape[0]
  if (length === undefined) throw new RangeError(`${op}: a 0-d tensor has no rows [${where}]`)
  if (
    !(Number.isSafeInteger(start) && Number.isSafeInteger(end) && 0 <= start && start <= end && end <= length)
  ) {
    throw new RangeError(`${op}: not ${what} of the ${length} of ${where} [${start}, ${end}]`)
  }
  return [end - start, length === 0 ? 0 : bytes / length]
}
