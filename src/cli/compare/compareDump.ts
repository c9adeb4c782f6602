import { certify } from '../../precision/index.js'
import { isFloat, type Tensor } from '../../tensors/tensor/index.js'
import type { OpenedProgram } from '../programs/openProgram.js'

/** How a result of a program differs from a recorded one. */
export interface DumpDifference {
  readonly name: string
  readonly tensor: string
  readonly differ: number
  readonly of: number
  /** The largest difference against the certified bound of the program's own error. */
  readonly ratio: number
  readonly kind: 'equal' | 'order or rounding' | 'another computation'
}

/** How far another machine's result may be, in certified bounds of ours: its own error, and ours, with sums in another order. */
const allowed = 4

/** Compares the results of a program with recorded ones, each within a certified bound of what rounding does. */
export function compareDump(
  { program, inputs }: OpenedProgram,
  dump: ReadonlyMap<string, Tensor>,
): readonly DumpDifference[] {
  const wanted = program.results.filter(({ name }) => dump.has(name))
  const { results, bounds } = certify(
    (given: Record<string, Tensor>) => {
      const all = program.runNamed(given)
      return wanted.map(({ name }) => all[name] as Tensor)
    },
    inputs as Record<string, Tensor>,
  )
  return wanted.map(({ name }, i) => {
    const [own, other] = [results[i]!, dump.get(name)!]
    const tensor = `${own.dtype} [${own.shape.join(', ')}]`
    if (own.shape.join() !== other.shape.join()) {
      return { name, tensor, differ: own.size, of: own.size, ratio: Infinity, kind: 'another computation' }
    }
    const [p, q, limits] = [own.toNumbers(), other.toNumbers(), bounds[i]!.toNumbers()]
    let [differ, ratio] = [0, 0]
    for (const [k, value] of p.entries()) {
      if (Object.is(value, q[k]) || value === q[k]) continue
      differ++
      const apart = Math.abs(value - q[k]!)
      ratio = Math.max(ratio, Number.isFinite(apart) && isFloat(own.dtype) ? apart / limits[k]! : Infinity)
    }
    const kind = differ === 0 ? 'equal' : ratio <= allowed ? 'order or rounding' : 'another computation'
    return { name, tensor, differ, of: p.length, ratio, kind }
  })
}
