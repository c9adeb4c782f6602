import { compile, recordedPrograms } from '../../tensors/compile/index.js'
import { leavesOf, type Treelike } from '../../tensors/tree/index.js'
import { areRecorded } from '../arithmetic/recorded.js'
import type { Optimizer, State } from '../transformation.js'
import type { ApplyGradientsOptions, Point } from './point.js'
import { type LossAndGrad, type Step, type WholeStep, wholeStep } from './wholeStep.js'

/** Programs that nearly every step made anew are not worth making: this many, less than two steps for each. */
const mostNew = 7

/** Steps between two looks whether the function still is what was recorded, once there were so many. */
const mostUnseen = 1024

/**
 * A step that records itself at its first call: as one program, or its gradient alone where the optimizer looks at elements. What cannot be
 * recorded is done by `apart` from then on, and the console says why.
 */
export function recordedStep<L, B extends readonly unknown[], S extends State, P extends Treelike>(
  lossAndGrad: LossAndGrad<L, B, P>,
  optimizer: Optimizer<S>,
  options: ApplyGradientsOptions,
  apart: (lossAndGrad: LossAndGrad<L, B, P>) => Step<L, B, S, P>,
): Step<L, B, S, P> {
  const plain = apart(lossAndGrad)
  // An update that is left out most of the time is not computed at each.
  const whole = optimizer.skips ? undefined : wholeStep({ options: {} }, lossAndGrad, optimizer, options)
  const program = whole ?? gradientStep(lossAndGrad, apart)
  let steps = 0
  let made = 0
  let isPlain = false
  const giveUp = (why: string): void => {
    isPlain = true
    console.warn(
      `makeTrainStep: from here on steps run operation by operation, since ${why}; compile: false is that without this line`,
    )
  }
  return (point, ...batch) => {
    if (isPlain || areRecorded(...leavesOf(point.params))) return plain(point, ...batch)
    steps++
    const before = recordedPrograms()
    try {
      const isLook = steps > 1 && ((steps & (steps - 1)) === 0 || steps % mostUnseen === 0)
      const changed = isLook && program.renew(point, ...batch)
      const next = program(point, ...batch)
      made += recordedPrograms() - before
      if (changed) {
        giveUp(
          steps === 2
            ? 'lossAndGrad was not the same function at the second step'
            : `lossAndGrad is no more the function that was recorded: something changed that is no argument of it, between step ${Math.max(steps >> 1, steps - mostUnseen)} and step ${steps}, and the steps between may lack it`,
        )
      } else if (made >= mostNew && 2 * made > steps) {
        giveUp(`${made} of ${steps} had other shapes or other values that are no tensors`)
      }
      return next
    } catch (error) {
      // What is wrong with the arguments is wrong here too, and comes out.
      const next = plain(point, ...batch)
      giveUp(`they cannot be recorded [${error instanceof Error ? error.message : String(error)}]`)
      return next
    }
  }
}

/** A step of which the gradient is a program. */
function gradientStep<L, B extends readonly unknown[], S extends State, P extends Treelike>(
  lossAndGrad: LossAndGrad<L, B, P>,
  apart: (lossAndGrad: LossAndGrad<L, B, P>) => Step<L, B, S, P>,
): WholeStep<L, B, S, P> {
  const gradient = compile<[P, ...B], ReturnType<typeof lossAndGrad>>(lossAndGrad)
  return Object.assign(
    apart((params, ...batch) => gradient(params, ...batch)),
    { renew: ({ params }: Point<S, P>, ...batch: B): boolean => gradient.renew(params, ...batch) },
  )
}
