import { GrowFigure } from './growFigure.js'
import { StandFigure } from './standFigure.js'

/** Cells that grow a picture, in ever fewer bits. */
export function AutomatonSection() {
  return (
    <>
      <p class="lead">
        A neural cellular automaton adds small updates to its state, hundreds of times. In a state of few bits
        those under half an ulp are lost: see how much of a flower is left.
      </p>
      <GrowFigure />
      <StandFigure />
    </>
  )
}
