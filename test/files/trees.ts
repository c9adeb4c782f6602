import fc from 'fast-check'
import { type DType, dtypes, fromBits, type Tensor } from 'tpu-toolkit/tensor'
import { mapTree, type Tree } from 'tpu-toolkit/tree'

/** Bits of an element, by its dtype's name: float32 has 32, float8_e4m3fn has 8. */
export function bitsIn(dtype: DType): number {
  return dtype === 'bool' ? 1 : dtype === 'bfloat16' ? 16 : Number(/\d+/.exec(dtype)?.[0])
}

/** Whatever two trees must share to be the same to the last bit. */
export function facts(tree: Tree): Tree<string> {
  return mapTree((x) => `${x.dtype} [${x.shape.join(', ')}] ${[...x.toBits()].join(' ')}`, tree)
}

/** A tensor of any bits: 0-d, empty or of up to three axes. */
export function anyTensor(dtype: DType): fc.Arbitrary<Tensor> {
  const width = bitsIn(dtype)
  const shape = fc.array(fc.nat(3), { maxLength: 3 })
  return shape.chain((sizes) => {
    const count = {
      minLength: sizes.reduce((n, size) => n * size, 1),
      maxLength: sizes.reduce((n, size) => n * size, 1),
    }
    if (width === 64) {
      return fc
        .array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), count)
        .map((codes) => fromBits(BigUint64Array.from(codes), { dtype, shape: sizes }))
    }
    return fc
      .array(fc.integer({ min: 0, max: 2 ** width - 1 }), count)
      .map((codes) => fromBits(Uint32Array.from(codes), { dtype, shape: sizes }))
  })
}

const key = fc.oneof(
  fc.constantFrom(
    'kernel',
    'bias',
    'a',
    'a.b',
    'b',
    '0',
    '1',
    '',
    '.',
    '__proto__',
    'слой',
    '"\\\n\u0000',
    '\u{1f600}',
  ),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
)

/** A tree of tensors under awkward keys, with empty containers. */
export const anyTree: fc.Arbitrary<Tree> = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom(...dtypes).chain(anyTensor),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc
      .array(fc.tuple(key, tie('tree')), { maxLength: 3 })
      .map((entries): Tree => Object.fromEntries(entries)),
  ),
})).tree
