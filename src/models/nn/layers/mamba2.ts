import {
  checkFlag,
  checkInteger,
  checkName,
  checkNumber,
  checkOptions,
  noOptions,
  type OptionTable,
} from '../../../base/options/index.js'
import { foldIn, type Key, uniform } from '../../../tensors/random/index.js'
import {
  add,
  cast,
  exp,
  expm1,
  type FloatDType,
  log,
  maximum,
  mul,
  neg,
  reshape,
  silu,
  sizeOf,
  softplus,
  split,
  type Tensor,
  transpose,
} from '../../../tensors/tensor/index.js'
import { rmsNorm } from '../../kernels/index.js'
import { type Form, forms, type SsmInputs, type SsmOptions } from '../../ssm/index.js'
import { type Initializer, initialized } from '../initializers/initializer.js'
import { constant } from '../initializers/plain.js'
import { checkApply, inside, type Layer } from '../layer.js'
import { type FullPolicy, fullPolicy, type PolicyOption } from '../policy.js'
import { checkInput } from './checkInput.js'
import { type ConvParameters, conv } from './conv.js'
import { type LinearParameters, linear } from './linear.js'
import type { NormParameters } from './norms.js'

/** How the scan of `mamba2` computes: a form of `ssm`, its options, and the dtype of its inputs. */
export interface ScanChoice extends SsmOptions {
  /** Default 'chunked'. */
  readonly form?: Form
  /** Of x, dt, A, B and C in the scan, as of its stages. Default: the policy's `accumulate`. */
  readonly dtype?: FloatDType
}

/** Options of `mamba2`, the letters of the planner's `Mamba2Config` in words. */
export interface Mamba2Options extends PolicyOption {
  /** Features of inputs and outputs. */
  readonly features: number
  /** Features inside. Default twice as many. */
  readonly inner?: number
  /** Heads of the scan. Default inner / 64. */
  readonly heads?: number
  /** Groups of heads that share B and C. Default 1. */
  readonly groups?: number
  /** States of each channel. Default 128. */
  readonly states?: number
  /** Taps of the convolution. Default 4. */
  readonly taps?: number
  readonly norm?: GatedNormOptions
  readonly scan?: ScanChoice
}

/** The gated norm of `mamba2`, by default that of state-spaces/mamba. */
export interface GatedNormOptions {
  /** Added under the root. Default 1e-5. */
  readonly eps?: number
  /** Rows are normed in as many parts. Default: `groups` of the block. */
  readonly groups?: number
  /** Norm first, then gate. Default false. */
  readonly beforeGate?: boolean
}

/** The parameters of `mamba2`; A_log, D and dt_bias have one number for each head. */
export interface Mamba2Parameters {
  readonly in: LinearParameters
  readonly conv: ConvParameters
  readonly A_log: Tensor
  readonly D: Tensor
  readonly dt_bias: Tensor
  /** scale [inner]. */
  readonly norm: NormParameters
  readonly out: LinearParameters
}

const mambaNames: OptionTable<Mamba2Options> = {
  features: 'required',
  inner: 'optional',
  heads: 'optional',
  groups: 'optional',
  states: 'optional',
  taps: 'optional',
  norm: 'optional',
  scan: 'optional',
  policy: 'optional',
}

const normNames: OptionTable<GatedNormOptions> = {
  eps: 'optional',
  groups: 'optional',
  beforeGate: 'optional',
}

const scanNames: OptionTable<ScanChoice> = {
  form: 'optional',
  dtype: 'optional',
  cumsum: 'optional',
  dtypes: 'optional',
  accumulate: 'optional',
  chunk: 'optional',
  limit: 'optional',
}

/** Where fresh steps lie, drawn evenly in their logarithm, as the authors draw them. */
const [leastStep, mostStep, floorStep] = [0.001, 0.1, 1e-4]

/**
 * The mixer of Mamba-2: one projection to gate, inputs, B, C and steps, a short causal convolution, a scan of heads, a gated
 * RMS norm, one projection back.
 *
 * Shape     [..., T, features] to the same.
 * Rounding  products and convolution as `linear` and `conv`; dt = softplus(dt + bias) and A = -exp(A_log) op by op in the
 *           dtype of the scan; the scan as its form of `ssm`, plus D x, to the policy's `compute`; times silu(gate), norm and
 *           scale in `accumulate`, once to `output`.
 * Source    T. Dao, A. Gu, Transformers are SSMs, arXiv 2405.21060; state-spaces/mamba, modules/mamba2.py, for the fresh
 *           parameters and the norm
 *
 * @example Object.keys(mamba2({ features: 32, states: 8 }).init(random.key(0))) // in,conv,A_log,D,dt_bias,norm,out
 */
export function mamba2(options: Mamba2Options): Layer<Mamba2Parameters> {
  const sizes = checked(options)
  const { features, inner, heads, groups, states, taps } = sizes
  const policy = fullPolicy('mamba2', options.policy)
  const { form = 'chunked', dtype = policy.accumulate, ...how }: ScanChoice = options.scan ?? noOptions
  const scan = forms[form]
  const mixed = inner + 2 * groups * states
  const given = { policy: options.policy ?? noOptions }
  const into = linear({ inputs: features, outputs: inner + mixed + heads, bias: false, ...given })
  const short = conv({
    ...{ kernel: [taps], inputs: mixed, outputs: mixed, groups: mixed, padding: 'causal' },
    ...given,
  })
  const norm = gatedNorm(inner, groups, policy, options.norm)
  const back = linear({ inputs: inner, outputs: features, bias: false, ...given })

  return {
    init: (key) => ({
      in: into.init(foldIn(key, 0)),
      conv: short.init(foldIn(key, 1)),
      A_log: initialized(logRates, foldIn(key, 2), [heads], policy.params),
      D: initialized(constant(1), key, [heads], policy.params),
      dt_bias: initialized(stepBiases, foldIn(key, 3), [heads], policy.params),
      norm: { scale: initialized(constant(1), key, [inner], policy.params) },
      out: back.init(foldIn(key, 5)),
    }),
    apply(params, x, applied) {
      const own = checkApply('mamba2', applied)
      checkInput('mamba2', x, features, 2)
      const length = x.shape.at(-2)!
      const rows = reshape(x, [sizeOf(x.shape.slice(0, -2)), length, features])
      const parts = split(into.apply(params.in, rows, inside(own, 0)), [inner, inner + mixed], { axis: -1 })
      const [gate, channels, steps] = parts as [Tensor, Tensor, Tensor]
      const convolved = silu(short.apply(params.conv, channels, inside(own, 1)))
      const inputs = scanInputs(sizes, dtype, params, steps, convolved)
      const skipped = mul(inputs.x, reshape(byGroup(params.D, sizes, dtype), [groups, heads / groups, 1, 1]))
      const y = cast(add(scan(inputs, how), skipped), gate.dtype)
      const flat = reshape(transpose(y, [0, 3, 1, 2, 4]), [rows.shape[0]!, length, inner])
      return reshape(back.apply(params.out, norm(flat, gate, params.norm.scale), inside(own, 5)), x.shape)
    },
  }
}

/** The RMS norm of values and their gate, [batch, T, inner], in parts. */
function gatedNorm(
  inner: number,
  among: number,
  { compute, output, accumulate }: FullPolicy,
  options: GatedNormOptions = noOptions,
): (values: Tensor, gate: Tensor, scale: Tensor) => Tensor {
  checkOptions('mamba2: norm', options, normNames)
  const { eps = 1e-5, groups = among, beforeGate = false } = options
  checkNumber('mamba2', 'norm.eps', eps, 0)
  checkInteger('mamba2', 'norm.groups', groups, 1)
  checkFlag('mamba2', 'norm.beforeGate', beforeGate)
  if (inner % groups !== 0) {
    throw new RangeError(`mamba2: groups of the norm do not divide inner [inner ${inner}, groups ${groups}]`)
  }
  const wide = (x: Tensor): Tensor => cast(cast(x, compute), accumulate)
  return (values, gate, scale) => {
    const open = silu(wide(gate))
    const y = beforeGate ? wide(values) : mul(wide(values), open)
    const parts = reshape(y, [...y.shape.slice(0, -1), groups, inner / groups])
    const normed = mul(reshape(rmsNorm(parts as Tensor<'float32'>, { eps }), y.shape), wide(scale))
    return cast(beforeGate ? mul(normed, open) : normed, output)
  }
}

interface Sizes {
  readonly features: number
  readonly inner: number
  readonly heads: number
  readonly groups: number
  readonly states: number
  readonly taps: number
}

/** What the scan reads: [batch, groups, heads of a group, T, ...], B and C once for a group. */
function scanInputs(
  sizes: Sizes,
  dtype: FloatDType,
  params: Mamba2Parameters,
  steps: Tensor,
  convolved: Tensor,
): SsmInputs {
  const { inner, heads, groups, states } = sizes
  const [batch, length] = convolved.shape as [number, number]
  const each = heads / groups
  const parts = split(cast(convolved, dtype), [inner, inner + groups * states], { axis: -1 })
  const placed = (values: Tensor, across: number, channels: number): Tensor =>
    transpose(reshape(values, [batch, length, groups, across, channels]), [0, 2, 3, 1, 4])
  const dt = softplus(add(cast(steps, dtype), cast(params.dt_bias, dtype)))
  return {
    x: placed(parts[0]!, each, inner / heads),
    dt: transpose(reshape(dt, [batch, length, groups, each]), [0, 2, 3, 1]),
    A: neg(exp(byGroup(params.A_log, sizes, dtype))),
    B: placed(parts[1]!, 1, states),
    C: placed(parts[2]!, 1, states),
  }
}

function byGroup(values: Tensor, { heads, groups }: Sizes, dtype: FloatDType): Tensor {
  return reshape(cast(values, dtype), [groups, heads / groups])
}

function checked(options: Mamba2Options): Sizes {
  checkOptions('mamba2', options, mambaNames, { positional: 'features' })
  const { features, groups = 1, states = 128, taps = 4 } = options
  checkInteger('mamba2', 'features', features, 1)
  const { inner = 2 * features } = options
  for (const [name, value] of Object.entries({ inner, groups, states, taps })) {
    checkInteger('mamba2', name, value, 1)
  }
  const heads = options.heads ?? inner / 64
  checkInteger('mamba2', 'heads', heads, 1)
  if (inner % heads !== 0) {
    throw new RangeError(`mamba2: heads do not divide inner [inner ${inner}, heads ${heads}]`)
  }
  if (heads % groups !== 0) {
    throw new RangeError(`mamba2: groups do not divide the heads [heads ${heads}, groups ${groups}]`)
  }
  checkOptions('mamba2: scan', options.scan, scanNames)
  checkName('mamba2', 'form', options.scan?.form ?? 'chunked', Object.keys(forms))
  return { features, inner, heads, groups, states, taps }
}

/** log A, A uniform on [1, 16). */
const logRates: Initializer = (key: Key, shape) => log(uniform(key, shape, { minval: 1, maxval: 16 }))

/** What softplus makes fresh steps of: dt + log(1 - exp(-dt)). */
const stepBiases: Initializer = (key: Key, shape) => {
  const exponents = uniform(key, shape, { minval: Math.log(leastStep), maxval: Math.log(mostStep) })
  const dt = maximum(exp(exponents), floorStep)
  return add(dt, log(neg(expm1(neg(dt)))))
}
