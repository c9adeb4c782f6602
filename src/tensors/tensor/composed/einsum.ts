import {
  checkArray,
  checkOptions,
  checkText,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { reshape, transpose } from '../layout/layout.js'
import { take } from '../layout/take.js'
import type { AccumulateOptions } from '../reductions/accumulate.js'
import { matmul } from '../reductions/matmul.js'
import { sum } from '../reductions/reduce.js'
import { operands } from '../storage/apply.js'
import { checkTensor } from '../storage/checkCall.js'
import type { DType } from '../storage/dtype.js'
import { offsetsOf, sizeOf, stridesOf } from '../storage/shape.js'
import { Tensor } from '../storage/tensor.js'

const names: OptionTable<AccumulateOptions> = { order: 'optional', accumulate: 'optional' }

/** A tensor whose axes have one letter each, all different; an axis of an ellipsis has its place from the last: '.0'. */
interface Lettered {
  readonly x: Tensor
  readonly letters: readonly string[]
}

/**
 * Einstein's sums, as NumPy's einsum: `'ij,jk->ik'` is a matrix product. Operands are joined from the left.
 *
 * Shape     a letter is an axis; a letter twice in one operand is its diagonal; `...` are the axes without a letter, counted
 *           from the last and broadcast; without `->` the result has those, and then the letters that stand once, sorted.
 * Dtype     all alike, the result too.
 * Rounding  a pair is one `matmul` in `accumulate` (default float32, as there); what is left of letters in one operand alone is
 *           added up by `sum` in `accumulate` first. Each rounds once to the dtype.
 * Cost      that of the products, and copies where axes do not lie as matmul wants them.
 *
 * @example einsum('ij,j->i', [tensor([[1, 2], [3, 4]]), tensor([1, 10])]).toNested() // [21,43]
 * @example einsum('ii', [tensor([[1, 2], [3, 4]])]).item() // 5
 * @example einsum('...ij,j->...i', [ones([5, 2, 3]), ones([3])]).shape // [5, 2]
 */
export function einsum<D extends DType>(
  subscripts: string,
  tensors: readonly Tensor<D>[],
  options: AccumulateOptions = noOptions,
): Tensor<D> {
  checkText('einsum', 'subscripts', subscripts)
  checkArray('einsum', 'tensors', tensors)
  checkOptions('einsum', options, names)
  for (const x of tensors) checkTensor('einsum', x)
  const { inputs, output } = parsed(subscripts, tensors)
  const lettered = operands('einsum', tensors).map((x, i) => diagonal(x, inputs[i]!))
  const all = lettered.map((of) => withoutOnes(of, lettered))
  checkLengths(all, subscripts)
  let left = all[0]!
  const rest = all.slice(1)
  for (const [i, right] of rest.entries()) {
    const later = [...output, ...rest.slice(i + 1).flatMap(({ letters }) => letters)]
    left = product(
      summed(left, [...right.letters, ...later], options),
      summed(right, [...left.letters, ...later], options),
      later,
      options,
    )
  }
  const { x, letters } = summed(left, output, options)
  return transpose(
    x,
    output.map((letter) => letters.indexOf(letter)),
  ) as Tensor<D>
}

function parsed(
  subscripts: string,
  tensors: readonly Tensor[],
): { inputs: readonly (readonly string[])[]; output: readonly string[] } {
  const [from = '', to, ...more] = String(subscripts).replaceAll(' ', '').split('->')
  const terms = from.split(',')
  if (more.length > 0 || ![...terms, to ?? ''].every((term) => /^[a-zA-Z]*(\.{3}[a-zA-Z]*)?$/.test(term))) {
    throw new RangeError(`einsum: subscripts are not letters, ..., commas and one -> [${subscripts}]`)
  }
  if (terms.length !== tensors.length) {
    throw new RangeError(`einsum: ${terms.length} operands in ${subscripts} [${tensors.length} given]`)
  }
  const inputs = terms.map((term, i) => {
    const { rank, shape } = tensors[i]!
    const axes = lettersOf(term, rank - term.replace('...', '').length)
    if (axes.length !== rank) {
      throw new RangeError(`einsum: operand ${i} has not the axes ${term} [${shape.join(', ')}]`)
    }
    return axes
  })
  const every = inputs.flat()
  const open = [...new Set(every)].filter((letter) => letter.startsWith('.'))
  const once = () => every.filter((letter) => every.indexOf(letter) === every.lastIndexOf(letter)).sort()
  const output =
    to === undefined
      ? [...lettersOf('...', open.length), ...once().filter((letter) => !letter.startsWith('.'))]
      : lettersOf(to, open.length)
  if (to !== undefined && open.length > 0 && !to.includes('...')) {
    throw new RangeError(`einsum: the result has no ... for the axes of its operands [${subscripts}]`)
  }
  for (const [i, letter] of output.entries()) {
    if (!every.includes(letter) || output.indexOf(letter) !== i) {
      throw new RangeError(`einsum: a letter of the result is not once in it and in an operand [${letter}]`)
    }
  }
  return { inputs, output }
}

/** The letters of a term, its ellipsis standing for so many axes. */
function lettersOf(term: string, open: number): string[] {
  const [before = '', behind] = term.split('...')
  const axes = Array.from(
    { length: behind === undefined ? 0 : Math.max(0, open) },
    (_, i) => `.${open - 1 - i}`,
  )
  return [...before, ...axes, ...(behind ?? '')]
}

/** Without the axes of an ellipsis that are broadcast: of length 1, and longer in another operand. */
function withoutOnes({ x, letters }: Lettered, all: readonly Lettered[]): Lettered {
  const longer = (letter: string): boolean =>
    all.some((other) => other.letters.includes(letter) && other.x.shape[other.letters.indexOf(letter)] !== 1)
  const kept = letters.filter((letter, i) => !(letter.startsWith('.') && x.shape[i] === 1 && longer(letter)))
  if (kept.length === letters.length) return { x, letters }
  return {
    x: reshape(
      x,
      kept.map((letter) => x.shape[letters.indexOf(letter)]!),
    ),
    letters: kept,
  }
}

function checkLengths(all: readonly Lettered[], subscripts: string): void {
  const lengths = new Map<string, number>()
  for (const { x, letters } of all) {
    for (const [i, letter] of letters.entries()) {
      const known = lengths.get(letter) ?? x.shape[i]!
      if (known !== x.shape[i]) {
        throw new RangeError(
          `einsum: ${letter.startsWith('.') ? `axes of ... in ${subscripts} have` : `axis ${letter} of ${subscripts} has`} two lengths [${known}, ${x.shape[i]}]`,
        )
      }
      lengths.set(letter, known)
    }
  }
}

/** Letters that repeat are read along the diagonal. */
function diagonal(x: Tensor, letters: readonly string[]): Lettered {
  const kept = letters.filter((letter, i) => letters.indexOf(letter) === i)
  if (kept.length === letters.length) return { x, letters }
  const steps = stridesOf(x.shape)
  const strides = kept.map((letter) =>
    letters.reduce((total, other, i) => (other === letter ? total + steps[i]! : total), 0),
  )
  const shape = kept.map((letter) => x.shape[letters.indexOf(letter)]!)
  for (const [i, letter] of letters.entries()) {
    if (x.shape[i] !== shape[kept.indexOf(letter)]) {
      throw new RangeError(`einsum: the diagonal ${letter} has two lengths [${x.shape.join(', ')}]`)
    }
  }
  const places = new Tensor('int32', shape, offsetsOf(shape, strides))
  return { x: take(reshape(x, [x.size]), places), letters: kept }
}

/** x summed over the letters that nothing wants. */
function summed({ x, letters }: Lettered, wanted: readonly string[], how: AccumulateOptions): Lettered {
  const gone = letters.flatMap((letter, i) => (wanted.includes(letter) ? [] : [i]))
  if (gone.length === 0) return { x, letters }
  return { x: sum(x, { ...how, axis: gone }), letters: letters.filter((letter) => wanted.includes(letter)) }
}

function product(a: Lettered, b: Lettered, wanted: readonly string[], how: AccumulateOptions): Lettered {
  const shared = a.letters.filter((letter) => b.letters.includes(letter))
  const batch = shared.filter((letter) => wanted.includes(letter))
  const inner = shared.filter((letter) => !wanted.includes(letter))
  const rows = a.letters.filter((letter) => !shared.includes(letter))
  const columns = b.letters.filter((letter) => !shared.includes(letter))
  const left = arranged(a, batch, [rows, inner])
  const right = arranged(b, batch, [inner, columns])
  const lengthOf = (letter: string): number =>
    a.letters.includes(letter) ? a.x.shape[a.letters.indexOf(letter)]! : b.x.shape[b.letters.indexOf(letter)]!
  const letters = [...batch, ...rows, ...columns]
  return { x: reshape(matmul(left, right, how), letters.map(lengthOf)), letters }
}

/** Axes in the order batch, then two groups, each group as one axis. */
function arranged(
  { x, letters }: Lettered,
  batch: readonly string[],
  groups: readonly [readonly string[], readonly string[]],
): Tensor {
  const order = [...batch, ...groups.flat()].map((letter) => letters.indexOf(letter))
  const moved = transpose(x, order)
  const middle = batch.length + groups[0].length
  const sizes = [moved.shape.slice(batch.length, middle), moved.shape.slice(middle)].map(sizeOf)
  return reshape(moved, [...moved.shape.slice(0, batch.length), ...sizes])
}
