import type { DenseElementsAttribute, TensorType } from '../module.js'
import { Cursor } from './cursor.js'
import { hexElements } from './elements.js'

interface Blob {
  readonly text: string
  readonly at: number
}

/** Looks up constants among the `dialect_resources` at the end of a text; they are found when the first is asked for. */
export function resourcesOf(
  text: string,
): (key: string, at: number, type: TensorType) => DenseElementsAttribute {
  let blobs: ReadonlyMap<string, Blob> | undefined
  return (key, at, type) => {
    blobs ??= findBlobs(text)
    const cursor = new Cursor(text)
    const blob = blobs.get(key)
    if (blob === undefined) {
      const why =
        key === '__elided__'
          ? 'constant that was left out when the text was written'
          : 'no such resource in the text'
      return cursor.fail(`${why} [${key}]`, at)
    }
    // Four bytes before the data say how it is aligned.
    return hexElements(cursor, `0x${blob.text.slice(10)}`, blob.at, type)
  }
}

/** Those of the metadata at the end of the text, `{-# dialect_resources: { builtin: { key: "0x..." } } #-}`. */
function findBlobs(text: string): ReadonlyMap<string, Blob> {
  const start = /^[ \t]*\{-#/m.exec(text)
  if (start === null) return new Map()
  const cursor = new Cursor(text)
  cursor.offset = start.index
  return readMetadata(cursor)
}

/** Moves past the metadata at the cursor. */
export function readMetadata(cursor: Cursor): ReadonlyMap<string, Blob> {
  const blobs = new Map<string, Blob>()
  cursor.expect('{-#')
  readSections(cursor, blobs, 0)
  return blobs
}

function readSections(cursor: Cursor, blobs: Map<string, Blob>, level: number): void {
  const close = level === 0 ? '#-}' : '}'
  cursor.deeper(() =>
    cursor.list(close, () => {
      const key = cursor.peek() === 34 ? cursor.string() : cursor.suffix('the key of a resource')
      cursor.expect(':')
      if (cursor.accept('{')) return readSections(cursor, blobs, level + 1)
      if (cursor.peek() === 34) {
        const at = cursor.here()
        const value = cursor.string()
        if (level === 2) blobs.set(key, { text: value, at })
      } else {
        cursor.expectName('a value')
      }
    }),
  )
}
