import { type ArrowBatch, arrowMessages } from './arrowMessages.js'
import { type ArrowField, readSchema } from './arrowSchema.js'
import { ColumnCheck } from './columnCheck.js'
import type { Refuse } from './flatBuffer.js'

/**
 * Refuses a file or a stream of Arrow unless every value that it promises is there: messages and blocks lie within the
 * bytes, buffers within their bodies and long enough for their rows, offsets ascend and end within what they point into,
 * text is UTF-8, as many values are missing as is said, and dictionaries have the entries that are asked for. Nothing that
 * reads it afterwards can then leave the bytes or take more memory than they have.
 */
export function checkArrow(bytes: Uint8Array, refuse: Refuse): void {
  const { schema, batches } = arrowMessages(bytes, refuse)
  const fields = readSchema(schema, refuse)
  if (fields.length === 0) refuse('no columns')
  const dictionaries = new Map<number, number>()
  const kinds = dictionaryFields(fields, refuse)
  for (const batch of batches) {
    if (batch.dictionary === undefined) {
      checkBatch(fields, batch, dictionaries, refuse)
      continue
    }
    const { id, isDelta } = batch.dictionary
    const field = kinds.get(id)
    if (field === undefined) refuse(`a dictionary that no column has, ${id}`)
    else checkBatch([{ ...field, dictionary: undefined }], batch, dictionaries, refuse)
    dictionaries.set(id, batch.length + (isDelta ? (dictionaries.get(id) ?? 0) : 0))
  }
}

function checkBatch(
  fields: readonly ArrowField[],
  batch: ArrowBatch,
  dictionaries: ReadonlyMap<number, number>,
  refuse: Refuse,
): void {
  const check = new ColumnCheck(batch, dictionaries, refuse)
  for (const field of fields) check.column(field, batch.length)
  check.end()
}

/** Of each dictionary a column that it is of; those that share one are of one type. */
function dictionaryFields(fields: readonly ArrowField[], refuse: Refuse): Map<number, ArrowField> {
  const found = new Map<number, ArrowField>()
  const shape = ({ type, children }: ArrowField): string => JSON.stringify([type, children])
  const walk = (field: ArrowField): void => {
    const { dictionary, children, name } = field
    if (dictionary) {
      const other = found.get(dictionary.id)
      if (other && shape(other) !== shape(field)) refuse(`one dictionary of two types, ${name.slice(0, 50)}`)
      found.set(dictionary.id, field)
    }
    children.forEach(walk)
  }
  fields.forEach(walk)
  return found
}
