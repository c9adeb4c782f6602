import { checkArray, checkRecord } from '../../../base/options/index.js'
import { checkTensor, Tensor } from '../../../tensors/tensor/index.js'
import type { NpyFile, SafetensorsFile } from '../../files/index.js'
import { checkIndex, type DataSource } from './dataSource.js'
import { fingerprintOf, tensorFingerprint } from './fingerprint.js'

/**
 * The rows of tensors in memory, along their first axis: of one tensor its rows, of a record of tensors (an npz file) a
 * record of rows.
 *
 * @example tensorRows(tensor([[1, 2], [3, 4]])).at(1).toNested() // [3, 4]
 */
export function tensorRows(tensor: Tensor): DataSource<Tensor>
export function tensorRows(
  tensors: Readonly<Record<string, Tensor>>,
): DataSource<Readonly<Record<string, Tensor>>>
export function tensorRows(
  tensors: Tensor | Readonly<Record<string, Tensor>>,
): DataSource<Tensor> | DataSource<Readonly<Record<string, Tensor>>> {
  if (tensors instanceof Tensor) {
    const length = rowCount('tensorRows', [['the tensor', tensors.shape]])
    return {
      length,
      get fingerprint() {
        return tensorFingerprint(tensors)
      },
      at: (index) => {
        checkIndex('tensorRows', index, length)
        return rowOf(tensors, index)
      },
    }
  }
  checkRecord('tensorRows', 'tensors', tensors)
  const entries = Object.entries(tensors)
  for (const [, x] of entries) checkTensor('tensorRows', x)
  const length = rowCount(
    'tensorRows',
    entries.map(([name, { shape }]) => [name, shape]),
  )
  return {
    length,
    get fingerprint() {
      return fingerprintOf(...entries.flatMap(([name, tensor]) => [name, tensorFingerprint(tensor)]))
    },
    at: (index) => {
      checkIndex('tensorRows', index, length)
      return Object.fromEntries(entries.map(([name, tensor]) => [name, rowOf(tensor, index)]))
    },
  }
}

/** The rows of an open npy file; only what is asked for is read. */
export function npyRows(file: NpyFile): DataSource<Tensor> {
  checkRecord('npyRows', 'file', file, ['shape', 'readRows'])
  const length = rowCount('npyRows', [['the array', file.shape]])
  const [first, last] = [
    file.readRows(0, Math.min(1, length)),
    file.readRows(Math.max(0, length - 1), length),
  ]
  const fingerprint = fingerprintOf(file.shape.join(), tensorFingerprint(first), tensorFingerprint(last))
  return {
    length,
    fingerprint,
    at: (index) => {
      checkIndex('npyRows', index, length)
      return rowOf(file.readRows(index, index + 1), 0)
    },
    range: (start, end) => rowsOf(file.readRows(start, end)),
    close: file.close,
  }
}

/** The rows of tensors of an open safetensors file, all or those named; only what is asked for is read. */
export function safetensorsRows(
  file: SafetensorsFile,
  given?: readonly string[],
): DataSource<Readonly<Record<string, Tensor>>> {
  const op = 'safetensorsRows'
  checkRecord(op, 'file', file, ['names', 'entries', 'readRows'])
  const names = given ?? file.names
  checkArray(op, 'names', names)
  const shapes = names.map((name): [string, readonly number[]] => {
    const entry = file.entries.find((candidate) => candidate.name === name)
    if (!entry) throw new RangeError(`${op}: no tensor of this name [${name.slice(0, 50)}]`)
    return [name, entry.shape]
  })
  const length = rowCount(op, shapes)
  const ends = names.flatMap((name) => [
    name,
    tensorFingerprint(file.readRows(name, 0, Math.min(1, length))),
    tensorFingerprint(file.readRows(name, Math.max(0, length - 1), length)),
  ])
  const fingerprint = fingerprintOf(shapes.map(([, shape]) => shape.join()).join(';'), ...ends)
  return {
    length,
    fingerprint,
    at: (index) => {
      checkIndex(op, index, length)
      return Object.fromEntries(names.map((name) => [name, rowOf(file.readRows(name, index, index + 1), 0)]))
    },
    range: (start, end) => {
      const columns = names.map((name): [string, Tensor[]] => [name, rowsOf(file.readRows(name, start, end))])
      return Array.from({ length: end - start }, (_, i) =>
        Object.fromEntries(columns.map(([name, rows]) => [name, rows[i]!])),
      )
    },
    close: file.close,
  }
}

/** How many rows all of them have. */
function rowCount(op: string, shapes: readonly (readonly [string, readonly number[]])[]): number {
  const [first] = shapes
  if (!first) throw new RangeError(`${op}: no tensors [0]`)
  for (const [name, shape] of shapes) {
    if (shape.length === 0) throw new RangeError(`${op}: a 0-d tensor has no rows [${name.slice(0, 50)}]`)
    if (shape[0] !== first[1][0]) {
      throw new RangeError(
        `${op}: different numbers of rows [${first[0]}: ${first[1][0]}, ${name}: ${shape[0]}]`,
      )
    }
  }
  return first[1][0]!
}

function rowsOf(x: Tensor): Tensor[] {
  return Array.from({ length: x.shape[0]! }, (_, i) => rowOf(x, i))
}

function rowOf({ dtype, shape, data }: Tensor, index: number): Tensor {
  const size = data.length / shape[0]!
  return new Tensor(dtype, shape.slice(1), data.slice(index * size, (index + 1) * size))
}
