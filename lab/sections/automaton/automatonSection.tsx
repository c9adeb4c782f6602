import { GrowFigure } from './growFigure.js'
import { StandFigure } from './standFigure.js'

/** Cells that grow a picture, in ever fewer bits. */
export function AutomatonSection() {
  return (
    <>
      <GrowFigure />
      <StandFigure />
    </>
  )
}
