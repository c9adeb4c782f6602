import {
  andMask,
  causalMask,
  chunkedMask,
  dilatedMask,
  fixedMask,
  fullMask,
  globalMask,
  type Mask,
  orMask,
  prefixMask,
  segmentMask,
  stridedMask,
  windowMask,
} from 'tpu-toolkit/kernels'
import { literal } from '../../parts/literal.js'
import { type MaskName, state } from './attentionState.js'

/** A mask, and the expression that makes it. */
interface Chosen {
  readonly mask: Mask
  readonly code: string
}

/** Those that look at no later key: causal or not is no question for them. */
const backward: readonly MaskName[] = ['causal', 'chunked', 'prefix', 'strided', 'fixed']

/** Whether the mask that is chosen may be made causal. */
export function mayBeCausal(): boolean {
  return !backward.includes(state.mask.value)
}

/** The mask that is chosen, for so many tokens. */
export function maskChoice(tokens: number): Chosen {
  const alone = maskAlone(tokens)
  if (!state.causal.value || !mayBeCausal()) return alone
  return { mask: andMask(alone.mask, causalMask()), code: `andMask(${alone.code}, causalMask())` }
}

function maskAlone(tokens: number): Chosen {
  const { mask, left, right, size, prefix, stride, summary, reach, count } = state
  switch (mask.value) {
    case 'full':
      return made('fullMask', fullMask)
    case 'causal':
      return made('causalMask', causalMask)
    case 'window':
      return made('windowMask', windowMask, { left: left.value, right: right.value })
    case 'chunked':
      return made('chunkedMask', chunkedMask, { size: size.value })
    case 'prefix':
      return made('prefixMask', prefixMask, { length: prefix.value })
    case 'segments':
      return made('segmentMask', segmentMask, { lengths: lengthsOf(state.documents.value, tokens) })
    case 'strided':
      return made('stridedMask', stridedMask, { stride: stride.value })
    case 'fixed':
      return made('fixedMask', fixedMask, { stride: stride.value, summary: summary.value })
    case 'dilated':
      return made('dilatedMask', dilatedMask, { reach: reach.value, step: stride.value })
    case 'longformer': {
      const window = made('windowMask', windowMask, { left: left.value, right: right.value })
      const globals = made('globalMask', globalMask, { count: count.value })
      return { mask: orMask(window.mask, globals.mask), code: `orMask(${window.code}, ${globals.code})` }
    }
    default:
      throw new RangeError(`lab: no such mask [${String(mask.value satisfies never)}]`)
  }
}

function made(call: string, make: () => Mask): Chosen
function made<Options extends object>(
  call: string,
  make: (options: Options) => Mask,
  options: Options,
): Chosen
function made(call: string, make: (options?: object) => Mask, options?: object): Chosen {
  return options === undefined
    ? { mask: make(), code: `${call}()` }
    : { mask: make(options), code: `${call}(${literal(options)})` }
}

/** Documents of the shares that are typed, `3, 5, 2`, together so many tokens. */
function lengthsOf(typed: string, tokens: number): number[] {
  const shares = typed
    .split(/[\s,;]+/)
    .filter((share) => share !== '')
    .map(Number)
  const total = shares.reduce((sum, share) => sum + share, 0)
  if (!(total > 0) || shares.some((share) => !(share >= 0))) {
    throw new RangeError(`documents: not shares as in 3, 5, 2 [${typed}]`)
  }
  let [passed, end] = [0, 0]
  return shares.map((share) => {
    passed += share
    const next = Math.round((tokens * passed) / total)
    const length = next - end
    end = next
    return length
  })
}
