import { shown } from '../../base/options/index.js'
import { Tensor } from '../../tensors/tensor/index.js'
import type { StepResult } from './trainOptions.js'

/** What a step measured, as numbers. */
export function metricsOf({ loss, metrics = {} }: StepResult<unknown>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries({ loss, ...metrics }).map(([name, value]) => [name, numberOf(name, value)]),
  )
}

function numberOf(name: string, value: unknown): number {
  if (typeof value === 'number') return value
  if (value instanceof Tensor && value.size === 1) return Number(value.toNumbers()[0])
  throw new TypeError(`train: the step gave no number as its ${name} [${shown(value)}]`)
}
