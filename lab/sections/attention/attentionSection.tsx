import { ErrorsFigure } from './errorsFigure.js'
import { MapFigure } from './mapFigure.js'

/** Attention block by block: what is skipped, and where it rounds. */
export function AttentionSection() {
  return (
    <>
      <MapFigure />
      <ErrorsFigure />
    </>
  )
}
