import { broadcastPlaces, formOf, isFloat } from '../../tensors/tensor/index.js'
import { extremumTieOf } from '../program/extremumTie.js'
import { type Operand, type Program, recorded, type Step } from '../program/program.js'
import type { Bounded } from './sumBounds.js'

/** A decision that the errors leave open: the exact computation may have taken it the other way. */
export interface OpenDecision {
  /** Number of the step: the comparison, or the maximum or minimum that several elements may be. */
  readonly step: number
  readonly op: string
  /** Where in the source it was called; undefined where that was not recorded (`check: false`). */
  readonly site: string | undefined
  /** In how many elements; of a maximum or minimum, how many may be it. */
  readonly count: number
  /** The first of them, row-major: at most eight. */
  readonly elements: readonly number[]
  /** What is compared there, as computed: for each element the operands; of a maximum or minimum the element itself. Empty of an argmax. */
  readonly values: readonly (readonly number[])[]
}

/** The decisions of a program that the bounds leave open, except those downstream of an unknown value. */
export function openDecisions(program: Program, boundedOf: (operand: Operand) => Bounded): OpenDecision[] {
  return program.steps.flatMap((step, i): OpenDecision[] => {
    const { bounds } = boundedOf(program.inputs.length + i)
    if (isFloat(step.output.dtype)) return []
    const places = [...bounds.keys()].filter((k) => bounds[k]! > 0 && bounds[k]! < Infinity)
    if (places.length === 0) return []
    const tie = extremumTieOf(program, step)
    const named = tie ? tie.extremum : i
    const elements = places.slice(0, 8)
    const values =
      formOf(step.op) === 'elementwise'
        ? compared(program, tie ? [tie.of] : step.operands, step, elements)
        : []
    const { op, site } = program.steps[named]!
    return [{ step: named, op: op.name, site, count: places.length, elements, values }]
  })
}

function compared(
  program: Program,
  operands: readonly Operand[],
  { output }: Step,
  elements: readonly number[],
): number[][] {
  const read = operands.map((operand) => {
    const x = recorded(program, operand)
    return { numbers: x.toNumbers(), at: broadcastPlaces(x.shape, output.shape) }
  })
  return elements.map((k) => read.map(({ numbers, at }) => numbers[at?.[k] ?? k]!))
}
