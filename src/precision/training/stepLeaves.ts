import { isFloat, sameShape } from '../../tensors/tensor/index.js'
import { type Operand, type Program, recorded } from '../program/program.js'
import { isContainer } from './tensorsIn.js'

/** A tensor that a step takes and gives back changed. */
export interface StepLeaf {
  /** Its path among the parameters, or in the state. */
  readonly name: string
  readonly kind: 'parameter' | 'state'
  /** Number of the input. */
  readonly before: number
  readonly after: Operand
  /** The path of the output. */
  readonly to: string
}

/** The paths of the inputs and outputs of a recorded step, in their order. */
export interface StepPaths {
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
}

/** The positions of parameters and state in the arguments and in the result of a step. */
interface Layout {
  readonly kind: 'parameter' | 'state'
  readonly from: string
  readonly to: string
}

/** The leaves of a step: parameters first, then the state's, floats only, paired by their paths. */
export function stepLeaves(
  program: Program,
  { inputs: paths, outputs: names }: StepPaths,
  args: readonly unknown[],
  result: unknown,
): StepLeaf[] {
  return layoutsOf(args, result).flatMap(({ kind, from, to }) =>
    paths.flatMap((path, before): StepLeaf[] => {
      const name = below(path, from)
      if (name === undefined) return []
      const end = [to, name].filter((part) => part !== '').join('.')
      const place = names.indexOf(end)
      const [x, after] = [program.inputs[before]!, program.outputs[place]]
      if (after === undefined || !isFloat(x.dtype)) return []
      const y = recorded(program, after)
      return y.dtype === x.dtype && sameShape(x.shape, y.shape)
        ? [{ name, kind, before, after, to: end }]
        : []
    }),
  )
}

/** A path below another one; undefined where it is elsewhere. */
function below(path: string, base: string): string | undefined {
  if (path === base) return ''
  return path.startsWith(`${base}.`) ? path.slice(base.length + 1) : undefined
}

/** step({ params, state }, ...) or step(params, state, ...); with { params, state }, [params, state] or params as its result. */
function layoutsOf(args: readonly unknown[], result: unknown): Layout[] {
  const [first] = args
  const point = hasParams(first)
  const [params, state] = point ? ['0.params', '0.state'] : ['0', '1']
  const [to, stateTo] = hasParams(result)
    ? ['params', 'state']
    : Array.isArray(result) && !Array.isArray(point ? first.params : first)
      ? ['0', '1']
      : ['', undefined]
  return [
    { kind: 'parameter', from: params!, to: to! },
    ...(stateTo === undefined ? [] : [{ kind: 'state' as const, from: state!, to: stateTo }]),
  ]
}

function hasParams(value: unknown): value is { readonly params: unknown } {
  return isContainer(value) && !Array.isArray(value) && 'params' in value
}
