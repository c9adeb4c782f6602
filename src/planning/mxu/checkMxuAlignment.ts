import { checkInteger, checkOptions, type OptionTable } from '../../base/options/index.js'
import { type ChipName, chip } from '../hardware/index.js'
import { hbmLayout } from './hbmLayout.js'
import { type Padding, padding } from './padding.js'

/** The dimensions of a model. */
export interface AlignmentOptions {
  readonly dModel: number
  readonly nHeads: number
  /** Inner width over dModel, default 1; Mamba's is 2. */
  readonly expand?: number
  /** Default dModel * expand / nHeads. */
  readonly headDim?: number
  /** Width inside the MLP, checked where it is given. */
  readonly dFf?: number
  /** Tokens, checked where they are given. */
  readonly vocabulary?: number
  /** The chip whose matrix units count, default v5p. */
  readonly chip?: ChipName
}

const names: OptionTable<AlignmentOptions> = {
  ...{ dModel: 'required', nHeads: 'required', expand: 'optional', headDim: 'optional' },
  ...{ dFf: 'optional', vocabulary: 'optional', chip: 'optional' },
}

/** The alignment of one dimension with the side of the systolic array. */
export interface AlignedSize extends Padding {
  readonly name: 'headDim' | 'dModel' | 'dFf' | 'vocabulary'
  readonly aligned: boolean
  /** The nearest whole tiles below and above; below is null where there are none. */
  readonly below: number | null
  readonly above: number
}

/** A change that fills the array, and what it saves. */
export interface Suggestion {
  readonly change: string
  /** Share of the passes or bytes that it saves. */
  readonly saves: number
  readonly of: 'passes of attention' | 'passes through the array' | 'bytes of the embedding in HBM'
}

/** Whether the dimensions fill the arrays, size by size, and what would. */
export interface Alignment {
  readonly aligned: boolean
  /** Side of the systolic array. */
  readonly side: number
  readonly headDim: number
  readonly sizes: readonly AlignedSize[]
  readonly suggestions: readonly Suggestion[]
}

/**
 * Whether a model's dimensions fill the systolic arrays of a chip: 128 wide, 256 on v6e and tpu7x.
 *
 * Shape     none. Dtype none. Rounding none.
 * Throws    RangeError for sizes that are not integers, heads that do not divide, an unknown chip.
 * Source    Python toolkit, mxu_alignment: its waste of a head of 192 (50 %) is 25 % here, and v6e's arrays are known.
 *
 * @example checkMxuAlignment({ dModel: 1536, nHeads: 16 }).suggestions[0] // { change: 'nHeads 12: heads of 128', saves: 0.25, of: 'passes of attention' }
 * @example checkMxuAlignment({ dModel: 1024, nHeads: 8 }).aligned // true
 * @example checkMxuAlignment({ dModel: 1024, nHeads: 8, chip: 'v6e' }).aligned // false
 */
export function checkMxuAlignment(options: AlignmentOptions): Alignment {
  const op = 'checkMxuAlignment'
  checkOptions(op, options, names)
  const { dModel, nHeads, expand = 1, dFf, vocabulary } = options
  for (const [name, size] of Object.entries({ dModel, nHeads, expand })) checkInteger(op, name, size, 1)
  const side = chip(options.chip ?? 'v5p').mxuSide
  const inner = dModel * expand
  const headDim = options.headDim ?? headOf(op, inner, nHeads)
  const given: [AlignedSize['name'], number | undefined][] = [
    ['headDim', headDim],
    ['dModel', dModel],
    ['dFf', dFf],
    ['vocabulary', vocabulary],
  ]
  const sizes = given.flatMap(([name, size]) => {
    if (size === undefined) return []
    checkInteger(op, name, size, 1)
    return [alignedSize(name, size, side)]
  })
  const suggestions = [
    ...headSuggestions(inner, nHeads, headDim, side),
    ...sizes.flatMap((size) => sizeSuggestions(size, dModel)),
  ]
  return { aligned: sizes.every(({ aligned }) => aligned), side, headDim, sizes, suggestions }
}

function headOf(op: string, inner: number, nHeads: number): number {
  if (inner % nHeads === 0) return inner / nHeads
  let near = 1
  for (let heads = 1; heads <= 2 * nHeads; heads++) {
    if (inner % heads === 0 && Math.abs(heads - nHeads) < Math.abs(near - nHeads)) near = heads
  }
  throw new RangeError(
    `${op}: heads do not divide the inner width, nearest nHeads ${near} [${inner} / ${nHeads}]`,
  )
}

function alignedSize(name: AlignedSize['name'], size: number, side: number): AlignedSize {
  const padded = padding(size, side)
  const below = Math.floor(size / side) * side
  return {
    ...{ name, ...padded, aligned: padded.waste === 0 },
    ...{ below: below === 0 ? null : below, above: padded.padded },
  }
}

/** Other numbers of heads over the same inner width, whose heads fill tiles; the nearest to what was given first. */
function headSuggestions(inner: number, nHeads: number, headDim: number, side: number): Suggestion[] {
  const now = padding(headDim, side)
  if (now.waste === 0 || headDim * nHeads !== inner || inner % side !== 0) return []
  const tiles = inner / side
  const counts = Array.from({ length: Math.min(tiles, 4096) }, (_, i) => i + 1)
    .filter((heads) => tiles % heads === 0)
    .sort((a, b) => ratio(a, nHeads) - ratio(b, nHeads))
  return counts.slice(0, 2).map((heads) => ({
    change: `nHeads ${heads}: heads of ${inner / heads}`,
    saves: 1 - tiles / (nHeads * now.tiles),
    of: 'passes of attention',
  }))
}

/** How many times one count is the other. */
const ratio = (a: number, b: number): number => Math.max(a / b, b / a)

function sizeSuggestions(
  { name, size, aligned, below, above, waste }: AlignedSize,
  dModel: number,
): Suggestion[] {
  if (aligned || name === 'headDim') return []
  if (name === 'vocabulary') {
    const bytes = (rows: number): number => hbmLayout([rows, dModel], 'bfloat16').bytes / rows
    return [
      {
        change: `vocabulary ${above}`,
        saves: 1 - bytes(above) / bytes(size),
        of: 'bytes of the embedding in HBM',
      },
    ]
  }
  const saved = waste
  const changes: Suggestion[] = [{ change: `${name} ${above}`, saves: saved, of: 'passes through the array' }]
  if (below !== null) {
    changes.push({ change: `${name} ${below}`, saves: 1 - below / above, of: 'passes through the array' })
  }
  return changes
}
