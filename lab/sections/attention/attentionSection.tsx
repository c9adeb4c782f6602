import { ErrorsFigure } from './errorsFigure.js'
import { MapFigure } from './mapFigure.js'

/** Attention block by block: what is skipped, and where it rounds. */
export function AttentionSection() {
  return (
    <>
      <p class="lead">
        A kernel goes over queries and keys block by block. Blocks that the mask leaves empty are skipped, and
        each block that is computed rounds anew.
      </p>
      <MapFigure />
      <ErrorsFigure />
    </>
  )
}
