import { ScheduleFigure } from './scheduleFigure.js'
import { StoredFigure } from './storedFigure.js'
import { WidthsFigure } from './widthsFigure.js'

/** Rates by step, updates that are lost, and one rate for every width. */
export function OptimizersSection() {
  return (
    <>
      <ScheduleFigure />
      <StoredFigure />
      <WidthsFigure />
    </>
  )
}
