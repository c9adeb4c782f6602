import { cast, type FloatDType, full, type Tensor } from '../../tensors/tensor/index.js'
import type { Treelike } from '../../tensors/tree/index.js'
import type { Elementwise } from '../arithmetic/arithmetic.js'
import { type Operand, promote } from '../arithmetic/operand.js'
import { cubicMinimum, quadraticMinimum } from './interpolation.js'

/** What a search asks of a step and how long it goes on. */
export interface ZoomLimits {
  readonly maxLinesearchSteps: number
  readonly maxLearningRate: number | undefined
  readonly tol: number
  readonly increaseFactor: number
  readonly slopeRtol: number
  readonly curvRtol: number
  readonly approxDecRtol: number | null
  readonly stepsizePrecision: number
}

/** A length along the updates, the loss there, its slope along them, and its gradient. */
export interface Point {
  readonly stepsize: Tensor
  readonly value: Tensor
  readonly slope: Tensor
  readonly grad: Treelike
}

/** The point that a search ends on. */
export interface Found extends Point {
  readonly tries: number
  readonly decreaseError: Tensor
  readonly curvatureError: Tensor
}

/** The bounds of an interval: `low` is the end of the lower loss, not of the shorter step. */
interface Interval {
  readonly low: Point
  readonly high: Point
  /** A third point, for the cubic. */
  readonly third: Point
}

interface Errors {
  readonly decrease: Tensor
  readonly curvature: Tensor
  readonly larger: number
}

/** A try: the new point, whether an interval is known, and whether to stop. */
interface Try {
  readonly point: Point
  readonly errors: Errors
  readonly safe: Point
  readonly interval: Interval | undefined
  readonly done: boolean
  readonly failed: boolean
}

/**
 * The zoom line search from a start, whose length is 0. Points of the interval are kept in float32 or wider, the running one in
 * the dtype of lengths and losses, as optax keeps them; `wideGuess` is whether the first guess is no number of that dtype but
 * a constant, as optax's 'one' is, which makes later lengths wider.
 */
export function zoomSearch(
  a: Elementwise,
  along: (stepsize: Tensor) => Point,
  start: Point,
  guess: Tensor,
  wideGuess: boolean,
  limits: ZoomLimits,
): Found {
  const { tol, maxLinesearchSteps } = limits
  const dtype = start.stepsize.dtype as FloatDType
  const wide = promote(dtype, 'float32')
  const inInterval = (point: Point): Point => ({
    ...point,
    stepsize: cast(point.stepsize, wide),
    value: cast(point.value, start.value.dtype),
    slope: cast(point.slope, start.slope.dtype),
  })
  const running = (point: Point): Point => ({
    ...point,
    stepsize: cast(point.stepsize, dtype),
    value: cast(point.value, dtype),
    slope: cast(point.slope, start.slope.dtype),
  })
  const errorsAt = errorsFrom(a, start, limits)

  /** A longer step than before, or the first; a valid length may lie between the two. */
  function grow(count: number, before: Point, safe: Point): Try {
    const longer = a.mul(limits.increaseFactor, before.stepsize)
    let stepsize = count === 0 ? guess : wideGuess ? cast(longer, wide) : longer
    const limit = limits.maxLearningRate
    const longest = limit !== undefined && only(stepsize) >= only(weakly(a, limit, stepsize))
    if (limit !== undefined) stepsize = a.minimum(stepsize, limit)
    const point = along(stepsize)
    const errors = errorsAt(point)
    const tooHigh = only(errors.decrease) > 0 || (count > 0 && only(point.value) >= only(before.value))
    const turned = !tooHigh && only(point.slope) >= 0
    const good = errors.larger <= tol
    const found = tooHigh || turned || good
    const [low, high] = turned ? [point, before] : [before, point]
    const done = good || (longest && !found)
    return {
      point,
      errors,
      safe: only(errors.decrease) <= tol ? inInterval(point) : safe,
      interval: found ? { low: inInterval(low), high: inInterval(high), third: inInterval(low) } : undefined,
      done,
      failed: count + 1 >= maxLinesearchSteps && !done,
    }
  }

  /** A point inside the interval, which becomes one of its ends. */
  function zoom(count: number, { low, high, third }: Interval, safe: Point): Try {
    const length = a.abs(a.sub(high.stepsize, low.stepsize))
    const point = along(inside(a, { low, high, third }, length))
    const errors = errorsAt(point)
    const safer = only(errors.decrease) <= tol && only(point.value) < only(safe.value)
    const kept = safer ? inInterval(point) : safe
    const done = errors.larger <= tol
    const asHigh = only(errors.decrease) > 0 || only(point.value) >= only(low.value)
    const span = a.mul(point.slope, a.sub(high.stepsize, low.stepsize))
    const turned = !asHigh && only(span) >= 0
    const short = only(length) <= only(weakly(a, limits.stepsizePrecision, length))
    const stop = count + 1 >= maxLinesearchSteps || (short && only(kept.stepsize) > 0)
    return {
      point,
      errors,
      safe: kept,
      interval: {
        low: asHigh ? low : inInterval(point),
        high: asHigh ? inInterval(point) : turned ? low : high,
        third: asHigh || turned ? high : low,
      },
      done,
      failed: stop && !done,
    }
  }

  let safe = inInterval(start)
  let interval: Interval | undefined
  let current = start
  for (let count = 0; ; count++) {
    const next: Try = interval ? zoom(count, interval, safe) : grow(count, current, safe)
    safe = next.safe
    interval = next.interval ?? interval
    current = running(next.point)
    if (!next.done && !next.failed) continue
    const outside = only(next.errors.decrease) === Number.POSITIVE_INFINITY
    const back = next.failed && (only(safe.stepsize) > 0 || outside)
    return {
      ...(back ? running(safe) : current),
      tries: count + 1,
      decreaseError: cast(next.errors.decrease, wide),
      curvatureError: cast(next.errors.curvature, wide),
    }
  }
}

/** By how much a point misses what is asked: a fall of the loss, and a slope that is not steep. */
function errorsFrom(a: Elementwise, start: Point, limits: ZoomLimits): (point: Point) => Errors {
  const { slopeRtol, curvRtol, approxDecRtol } = limits
  const orInfinite = (x: Operand, like: Tensor): Tensor => {
    const positive = a.maximum(x, 0)
    return Number.isNaN(only(positive))
      ? full([], Number.POSITIVE_INFINITY, { dtype: like.dtype as FloatDType })
      : positive
  }
  return ({ stepsize, value, slope }) => {
    const change = a.sub(value, start.value)
    let missed = a.sub(change, a.mul(a.mul(slopeRtol, stepsize), start.slope))
    if (approxDecRtol !== null) {
      const near = a.sub(slope, a.mul(2 * slopeRtol - 1, start.slope))
      const risen = a.sub(change, a.mul(approxDecRtol, a.abs(start.value)))
      missed = a.minimum(a.maximum(near, risen), missed)
    }
    const decrease = orInfinite(missed, slope)
    const steep = a.sub(a.abs(slope), a.mul(curvRtol, a.abs(start.slope)))
    const curvature = orInfinite(steep, slope)
    return { decrease, curvature, larger: Math.max(only(decrease), only(curvature)) }
  }
}

/** The minimum of the cubic through the ends, else of the parabola, where it is well inside; else the middle. */
function inside(a: Elementwise, { low, high, third }: Interval, length: Tensor): Tensor {
  const [left, right] = [a.minimum(high.stepsize, low.stepsize), a.maximum(high.stepsize, low.stepsize)]
  const fits = (x: Tensor, share: number): boolean => {
    const margin = a.mul(share, length)
    return only(x) > only(a.add(left, margin)) && only(x) < only(a.sub(right, margin))
  }
  const cubic = cubicMinimum(a, low, high, third)
  if (fits(cubic, 0.2)) return cubic
  const quadratic = quadraticMinimum(a, low, high)
  if (fits(quadratic, 0.1)) return quadratic
  return a.div(a.add(low.stepsize, high.stepsize), 2)
}

/** A constant in the dtype of what it is compared with. */
function weakly(a: Elementwise, value: number, like: Tensor): Tensor {
  const dtype = like.dtype as FloatDType
  return full([], a.weak(value, dtype), { dtype })
}

function only(x: Tensor): number {
  return x.item()
}
