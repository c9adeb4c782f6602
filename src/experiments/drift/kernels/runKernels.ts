import {
  checkArray,
  checkFunction,
  checkInteger,
  checkName,
  checkOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { readable } from '../../../base/text/index.js'
import { drift } from '../../../numerics/index.js'
import { checkFloatDType, type FloatDType, tensor } from '../../../tensors/tensor/index.js'
import { attentionCase } from './attentionCase.js'
import { fp8Case } from './fp8Case.js'
import { gemmCase } from './gemmCase.js'
import { kernelInputs } from './kernelInputs.js'
import type { KernelCase, KernelName, KernelRow, KernelSetup } from './kernelRow.js'
import { normsCase } from './normsCase.js'
import { ropeCase } from './ropeCase.js'

/** Every kernel that is measured, in the order of the report. */
export const kernelCases: readonly KernelCase[] = [attentionCase, gemmCase, ropeCase, normsCase, fp8Case]

/** What is to be measured. */
export interface RunKernelsOptions {
  /** Default: all of them. */
  readonly kernels?: readonly KernelName[]
  /** Default: 128, 1024, 4096, 16384. */
  readonly lengths?: readonly number[]
  /** Columns of an attention's blocks. Default: 128. */
  readonly blocks?: readonly number[]
  /** Of operands and results, of the range of bfloat16 or float16. Default: bfloat16. */
  readonly dtypes?: readonly FloatDType[]
  /** Default: 0. */
  readonly seed?: number
  /** A text, as bytes, that a small model is trained on for its activations. Default: none, and no activations. */
  readonly text?: Uint8Array
  /** Steps of that training. Default: 30. */
  readonly steps?: number
  /** Called as trials are run. */
  readonly progress?: (done: number, total: number, kernel: string) => void
}

/** The results: everything that is printed and written comes from here. */
export interface KernelResults {
  readonly seed: number
  readonly lengths: readonly number[]
  readonly blocks: readonly number[]
  readonly dtypes: readonly FloatDType[]
  readonly inputs: readonly { readonly name: string; readonly about: string }[]
  readonly kernels: readonly KernelFindings[]
}

/** The results of one kernel. */
export interface KernelFindings {
  readonly kernel: KernelCase
  readonly finding: string
  readonly rows: readonly KernelRow[]
}

/** The longest length that is measured. */
export const longestKernel: number = 2 ** 16

const names: OptionTable<RunKernelsOptions> = {
  ...{ kernels: 'optional', lengths: 'optional', blocks: 'optional', dtypes: 'optional' },
  ...{ seed: 'optional', text: 'optional', steps: 'optional', progress: 'optional' },
}

/**
 * Measures how far kernels are from the exact result on the same operands, form beside form: attention, products, rotary
 * embeddings, norms, fp8; on normal numbers, with outliers, and on activations of a model that it trains on a text.
 *
 * Throws    RangeError for unknown kernels and options, lengths outside 16 ... 2^16, blocks below 1.
 *
 * @example runKernels({ kernels: ['rope'], lengths: [64] }).kernels[0].rows.length // 10
 */
export function runKernels(options: RunKernelsOptions = {}): KernelResults {
  checkOptions('runKernels', options, names)
  const all = kernelCases.map(({ name }) => name)
  const { kernels: asked = all, lengths: given = [128, 1024, 4096, 16_384], blocks = [128] } = options
  const { dtypes = ['bfloat16'], seed = 0, text, steps = 30, progress = () => {} } = options
  for (const [name, list] of Object.entries({ kernels: asked, lengths: given, blocks, dtypes })) {
    checkArray('runKernels', name, list)
  }
  for (const name of asked) checkName('runKernels', 'kernel', name, all)
  for (const length of given) checkInteger('runKernels', 'length', length, 16, longestKernel)
  for (const block of blocks) checkInteger('runKernels', 'block', block, 1, longestKernel)
  for (const dtype of dtypes) {
    checkFloatDType('runKernels', 'dtype', dtype)
    checkName('runKernels', 'dtype', dtype, ['bfloat16', 'float16', 'float32'])
  }
  checkInteger('runKernels', 'seed', seed, 0, 2 ** 32 - 1)
  checkInteger('runKernels', 'steps', steps, 1, 100_000)
  checkFunction('runKernels', 'progress', progress)
  if (text !== undefined && !(text instanceof Uint8Array && text.length > 0)) {
    throw new TypeError('runKernels: the text is not bytes [text]')
  }
  const lengths = [...new Set(given)].sort((a, b) => a - b)
  const inputs = kernelInputs(seed, lengths.at(-1) ?? 16, text, steps)
  const chosen = kernelCases.filter(({ name }) => asked.includes(name))
  const setupsOf = ({ only }: KernelCase): KernelSetup[] =>
    (only ? [only] : dtypes).flatMap((dtype) =>
      inputs.flatMap((input) => lengths.map((length): KernelSetup => ({ input, length, dtype, blocks }))),
    )
  const total = chosen.reduce((sum, kernel) => sum + setupsOf(kernel).length, 0)
  let done = 0
  const found = chosen.map((kernel): KernelFindings => {
    const rows = setupsOf(kernel).flatMap((setup) => {
      progress(done, total, kernel.name)
      const measured = rowsOf(kernel, setup)
      progress(++done, total, kernel.name)
      return measured
    })
    return { kernel, finding: findingOf(kernel, rows), rows }
  })
  const inputRows = inputs.map(({ name, about }) => ({ name, about }))
  return { seed, lengths, blocks, dtypes, inputs: inputRows, kernels: found }
}

function rowsOf(kernel: KernelCase, setup: KernelSetup): KernelRow[] {
  const { reference, ways } = kernel.trial(setup)
  return ways.map((way) => {
    const result = way.compute()
    const { normRel, maxAbs, rms, bias } = drift(
      result,
      tensor(reference, { shape: result.shape, dtype: 'float64' }),
    )
    const theory = way.bound?.().bound ?? Infinity
    const bound = Number.isFinite(theory) ? theory : null
    return {
      ...{ kernel: kernel.name, way: way.name, input: setup.input.name, length: setup.length },
      ...{ block: way.block ?? null, dtype: setup.dtype, normRel, maxAbs, rms },
      bias: rms > 0 ? bias / rms : 0,
      bound,
      ofBound: bound === null ? null : maxAbs / bound,
    }
  })
}

/** The best and the worst form at the longest length, on the input that is most like a model's. */
function findingOf({ lengthName }: KernelCase, rows: readonly KernelRow[]): string {
  const last = rows.at(-1)
  if (!last) return ''
  const own = rows.filter(
    ({ input, length, dtype }) => input === last.input && length === last.length && dtype === last.dtype,
  )
  const sorted = own.filter(({ normRel }) => Number.isFinite(normRel)).sort((a, b) => a.normRel - b.normRel)
  const [best, worst] = [sorted[0], sorted.at(-1)]
  if (!best || !worst) return ''
  const at = `At ${lengthName} = ${readable(last.length)} on ${last.input}, in ${last.dtype},`
  return `${at} the least error is ${readable(best.normRel, 3)} of the norm (${best.way}), the largest ${readable(worst.normRel, 3)} (${worst.way}).`
}
