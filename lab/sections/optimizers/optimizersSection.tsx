import { ScheduleFigure } from './scheduleFigure.js'
import { StoredFigure } from './storedFigure.js'
import { WidthsFigure } from './widthsFigure.js'

/** Rates by step, updates that are lost, and one rate for every width. */
export function OptimizersSection() {
  return (
    <>
      <p class="lead">
        An optimizer says how far each parameter moves. Whether it moves is decided by the rate, the dtype in
        which the parameter is stored, and how the model grew since the rate was found.
      </p>
      <ScheduleFigure />
      <StoredFigure />
      <WidthsFigure />
    </>
  )
}
