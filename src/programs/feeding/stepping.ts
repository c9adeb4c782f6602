import { isFloat, Tensor } from '../../tensors/tensor/index.js'
import type { Program, ProgramValue } from '../stablehlo/index.js'
import { type Carried, carriedOf } from './carried.js'

/** The inputs and the results of the last step that ran. */
export interface Stepped {
  /** Beginning at 1. */
  readonly step: number
  readonly inputs: Readonly<Record<string, ProgramValue>>
  readonly results: Readonly<Record<string, ProgramValue>>
  /** The first result of it that is not finite; undefined where all are. */
  readonly nonFinite: string | undefined
  readonly carried: Carried | undefined
}

/** Runs a program so many times, each time on the results of the last one; stops behind the first step with a NaN or an infinity. */
export function stepping(
  { program, inputs }: { readonly program: Program; readonly inputs: Readonly<Record<string, ProgramValue>> },
  steps: number,
  carry: string | true | undefined,
  onStep: (step: number) => void,
): Stepped {
  const carried = steps === 1 && carry === undefined ? undefined : carriedOf(program, carry ?? true)
  let given = inputs
  for (let step = 1; ; step++) {
    onStep(step)
    const results = program.runNamed(given)
    const nonFinite = program.results.find(({ name }) => !isFinite(results[name]!))?.name
    if (nonFinite !== undefined || step === steps || !carried) {
      return { step, inputs: given, results, nonFinite, carried }
    }
    given = { ...given, ...Object.fromEntries([...carried].map(([to, from]) => [to, results[from]!])) }
  }
}

function isFinite(value: ProgramValue): boolean {
  if (!(value instanceof Tensor)) return isFinite(value.re) && isFinite(value.im)
  return !isFloat(value.dtype) || value.toNumbers().every((x) => Number.isFinite(x))
}
