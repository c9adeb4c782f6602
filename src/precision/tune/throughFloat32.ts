import {
  dtypeFacts,
  entryOf,
  type FloatDType,
  noRows,
  type Op,
  type OpTable,
  opName,
  type Tensor,
} from '../../tensors/tensor/index.js'

/** When float32 on the way to a narrow format changes nothing. */
interface Innocuous {
  readonly when: 'own format' | 'adding'
}

/**
 * Whether float32 gives the numbers that float64 rounded once gives. To float32: every operation of tensor, no composed
 * one, which would round inside. To a format of p <= 11 bits: + - * / sqrt of operands of that very format, since float32 has
 * 2 p + 2 bits; a wider operand may stand on the middle between two numbers of the format, and float32 then rounds off the
 * little that decides. And sums and products that round to float32 at each step anyway, and are not divided afterwards.
 */
export function fitsFloat32(
  op: Op,
  args: readonly Tensor[],
  result: FloatDType,
  attributes: unknown,
): boolean {
  if (args.some(({ dtype }) => dtype === 'float64') || result === 'float64') return false
  if (result === 'float32') return opName(op) !== undefined
  if (dtypeFacts(result).precision > 11) return false
  const when = entryOf(throughFloat32, op)?.when
  if (when === 'adding') return accumulatesInFloat32(attributes)
  return when === 'own format' && args.every(({ dtype }) => dtype === result)
}

function accumulatesInFloat32(attributes: unknown): boolean {
  const { accumulate, how } = attributes as { accumulate?: string; how?: { accumulate?: string } }
  return (accumulate ?? how?.accumulate) === 'float32'
}

/** 'none' is right of every operation, and slower. */
const throughFloat32: OpTable<Innocuous> = {
  ...noRows('unary', 'moves', 'decides', 'bits'),
  sqrt: { when: 'own format' },
  add: { when: 'own format' },
  sub: { when: 'own format' },
  mul: { when: 'own format' },
  div: { when: 'own format' },
  pow: 'none',
  atan2: 'none',
  hypot: 'none',
  rem: 'none',
  minimum: 'none',
  maximum: 'none',
  where: 'none',
  cast: 'none',
  sum: { when: 'adding' },
  mean: 'none',
  cumsum: { when: 'adding' },
  cumprod: { when: 'adding' },
  matmul: { when: 'adding' },
  max: 'none',
  min: 'none',
}
