import { reshape, sizeOf, Tensor } from '../../../tensors/tensor/index.js'
import { choleskyOf, luOf, qOf, qrOf } from '../algebra/factorizations.js'
import { choleskyFactor, perMatrix, triangularSolution } from '../algebra/linearAlgebra.js'
import { special } from '../elements/special.js'
import type { Attributes, Operation } from '../module.js'
import { keyword } from '../values/attributes.js'
import type { Context, Lowering, Run } from '../values/lowering.js'
import { real } from '../values/value.js'

/** Calls that only say where data lies. */
const sharding: ReadonlySet<string> = new Set([
  'Sharding',
  'SPMDFullToShardShape',
  'SPMDShardToFullShape',
  'annotate_device_placement',
  'xla.sdy.FuncResultSharding',
  'xla.sdy.GlobalToLocalShape',
  'xla.sdy.LocalToGlobalShape',
])

function configOf(op: Operation): Attributes {
  for (const name of ['mhlo.backend_config', 'backend_config', 'mhlo.attributes']) {
    const attribute = Object.hasOwn(op.attributes, name) ? op.attributes[name] : undefined
    if (attribute?.kind === 'dictionary') return attribute.entries
  }
  return {}
}

/** A letter that LAPACK takes, as the number or the text that it is written as. */
function letter(op: Operation, name: string): string | undefined {
  const config = configOf(op)
  const attribute = Object.hasOwn(config, name) ? config[name] : undefined
  if (attribute?.kind === 'integer') return String.fromCharCode(Number(attribute.value))
  return attribute?.kind === 'string' ? attribute.value : undefined
}

/** One number for each matrix of a batch. */
function infos(x: Tensor, f: (index: number) => number): Tensor {
  const batch = x.shape.slice(0, -2)
  return new Tensor(
    'int32',
    batch,
    Int32Array.from({ length: sizeOf(batch) }, (_, i) => f(i)),
  )
}

/**
 * LAPACK's routines that JAX calls on CPUs, in float64 and rounded once: what they compute, not their bits, which differ from library
 * to library.
 */
const lapack: Readonly<Record<string, (op: Operation) => Run>> = {
  getrf:
    () =>
    ([value]) => {
      const x = real(value)
      const pivots: Int32Array[] = []
      const failed: number[] = []
      const lu = perMatrix(x, (matrix, i) => {
        const found = luOf(matrix)
        pivots[i] = found.pivots
        failed[i] = found.failed
        return found.values
      })
      const width = Math.min(x.shape.at(-1)!, x.shape.at(-2)!)
      const all = new Int32Array(pivots.length * width)
      for (const [i, own] of pivots.entries()) all.set(own, i * width)
      return [lu, new Tensor('int32', [...x.shape.slice(0, -2), width], all), infos(x, (i) => failed[i]!)]
    },
  geqrf:
    () =>
    ([value]) => {
      const x = real(value)
      const width = Math.min(x.shape.at(-1)!, x.shape.at(-2)!)
      const qr = perMatrix(x, (matrix) => qrOf(matrix).values)
      const factors = perMatrix(x, (matrix) => qrOf(matrix).factors, width, 1)
      return [qr, reshape(factors, [...x.shape.slice(0, -2), width])]
    },
  orgqr:
    () =>
    ([value, factors]) => {
      const x = real(value)
      const all = real(factors).toNumbers()
      const width = real(factors).shape.at(-1)!
      return [perMatrix(x, (matrix, i) => qOf(matrix, all.slice(i * width, (i + 1) * width)))]
    },
  potrf: (op) => {
    const lower = letter(op, 'uplo') !== 'U'
    return ([value]) => {
      const x = real(value)
      const failed: number[] = []
      perMatrix(x, (matrix, i) => {
        const found = choleskyOf(matrix, lower)
        failed[i] = found.failed
        return found.values
      })
      return [choleskyFactor(x, lower), infos(x, (i) => failed[i]!)]
    }
  },
  trsm: (op) => {
    const how = {
      left: letter(op, 'side') !== 'R',
      lower: letter(op, 'uplo') !== 'U',
      unit: letter(op, 'diag') === 'U',
      transposed: (letter(op, 'trans_x') ?? letter(op, 'transa') ?? 'N') !== 'N',
    }
    return ([a, b]) => [triangularSolution(real(a), real(b), how)]
  },
}

/** `stablehlo.custom_call`: shardings are passed by, LAPACK's factorizations and composites of chlo computed, others refused. */
export const customCall: Lowering = (op: Operation, context: Context) => {
  const target = keyword(op, 'call_target_name')
  if (sharding.has(target)) return (inputs) => inputs
  const routine = /^(?:lapack|blas)_[sd](\w+?)(?:_ffi)?$/.exec(target)?.[1]?.replace(/^or(ung|g)qr$/, 'orgqr')
  if (routine !== undefined && Object.hasOwn(lapack, routine)) return lapack[routine]!(op)
  const composite = target.replace(/^mhlo\./, 'chlo.').replace('chlo.topk', 'chlo.top_k')
  if (composite.startsWith('chlo.') && Object.hasOwn(special, composite)) {
    const attributes = { ...op.attributes, ...configOf(op) }
    return special[composite as keyof typeof special]({ ...op, attributes }, context)
  }
  throw new RangeError(`calls foreign code, which cannot be read [${target}]`)
}
