import { shown } from '../../../base/options/index.js'
import type { Key } from '../../../tensors/random/index.js'
import type { LoadedTransform } from './loadTransform.js'
import { PlaceContext, type RecordPlace } from './recordContext.js'

/** One transform and what its result means. */
export interface Step {
  readonly kind: 'map' | 'filter'
  readonly transform: LoadedTransform
}

/** Records with where each stands. */
export interface Records {
  readonly values: readonly unknown[]
  readonly places: readonly RecordPlace[]
}

/** Runs transforms over records, in their order; a failure names the transform and the record. */
export async function runTransforms(steps: readonly Step[], records: Records, root: Key): Promise<Records> {
  const values: unknown[] = []
  const places: RecordPlace[] = []
  for (let i = 0; i < records.values.length; i++) {
    const place = records.places[i]!
    const context = new PlaceContext(root, place)
    let value = records.values[i]
    let kept = true
    for (const { kind, transform } of steps) {
      let result: unknown
      try {
        result = transform.run(value, context)
        // Waiting costs a turn of the event loop: only for what has to be waited for.
        if (result instanceof Promise) result = await result
      } catch (error) {
        throw failure(kind, transform.name, place, error)
      }
      if (kind === 'map') {
        value = result
      } else if (typeof result !== 'boolean') {
        throw new TypeError(
          `filter: ${transform.name} gave neither true nor false, record ${place.index} [${shown(result)}]`,
        )
      } else if (!result) {
        kept = false
        break
      }
    }
    if (!kept) continue
    values.push(value)
    places.push(place)
  }
  return { values, places }
}

function failure(kind: string, name: string, { index, position }: RecordPlace, cause: unknown): Error {
  return new Error(`${kind}: ${name} failed at record ${index}, place ${position} [${shown(cause)}]`, {
    cause,
  })
}
