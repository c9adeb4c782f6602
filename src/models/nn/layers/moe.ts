import { checkFlag, checkInteger, checkOptions, type OptionTable } from '../../../base/options/index.js'
import { foldIn } from '../../../tensors/random/index.js'
import {
  cast,
  type FloatDType,
  matmul,
  mul,
  reshape,
  sizeOf,
  type Tensor,
} from '../../../tensors/tensor/index.js'
import {
  type Assignment,
  assignExperts,
  combine,
  dispatch,
  expertCapacity,
  type RouteOptions,
  type Routing,
  route,
} from '../../kernels/index.js'
import { type Initializer, initialized } from '../initializers/initializer.js'
import { lecunNormal } from '../initializers/named.js'
import { checkApply, inside, type Layer } from '../layer.js'
import { fullPolicy, type PolicyOption, product } from '../policy.js'
import { type Activation, activationOf } from './activation.js'
import { checkInput } from './checkInput.js'

/** Options of `moe`. */
export interface MoeOptions extends PolicyOption {
  /** Features of inputs and outputs. */
  readonly features: number
  /** Features inside an expert. */
  readonly hidden: number
  readonly experts: number
  /** Experts that a token goes through. Default 2. */
  readonly active?: number
  /** Places over choices: an expert has tokens active capacityFactor / experts of them, rounded up. Default 1.25. */
  readonly capacityFactor?: number
  /** Who queues first for places. Default 'token'. */
  readonly order?: 'token' | 'choice'
  /** What an expert's output is multiplied by. Default 'renormalised'. */
  readonly weights?: RouteOptions['weights']
  /** The dtype of the router's product, whatever `compute` is. Default 'float32'; a narrow one chooses other experts. */
  readonly routerDtype?: FloatDType
  /** Default 'silu'. */
  readonly activation?: Activation
  /** Whether an expert is gated. Default true. */
  readonly gated?: boolean
  /** Default `lecunNormal()`, of each expert by itself. */
  readonly weight?: Initializer
}

/** The parameters of `moe`: router [features, experts]; up, gate [experts, features, hidden]; down [experts, hidden, features]. */
export interface MoeParameters {
  readonly router: Tensor
  readonly up: Tensor
  readonly gate?: Tensor
  readonly down: Tensor
}

/** Where the tokens of an input go. */
export interface MoeRoutes {
  /** [tokens, experts]: `kernels.routerZLoss` takes them. */
  readonly logits: Tensor
  /** Experts, weights and scores: `kernels.balanceLoss` takes it. */
  readonly routing: Routing
  /** Places; `kept` says which choices were dropped. */
  readonly assignment: Assignment
}

/** A mixture of experts, which also returns the routing of tokens. */
export interface Moe extends Layer<MoeParameters> {
  /** Where the tokens of an input go, as `apply` sends them. */
  route(params: MoeParameters, x: Tensor): MoeRoutes
}

const moeNames: OptionTable<MoeOptions> = {
  ...{ features: 'required', hidden: 'required', experts: 'required', active: 'optional' },
  ...{ capacityFactor: 'optional', order: 'optional', weights: 'optional', routerDtype: 'optional' },
  ...{ activation: 'optional', gated: 'optional', weight: 'optional', policy: 'optional' },
}

/**
 * A mixture of experts in the place of an MLP: a router chooses for every token, experts have a limited number of places, what
 * finds none is dropped (and stays what a residual around the layer keeps).
 *
 * Shape     [..., features] to the same; all tokens of an input share the places.
 * Rounding  the router's product in `routerDtype`, `route` from there; experts as `mlp`; `combine` in float32, rounded once to
 *           `output`.
 * Gradient  through the weights of the chosen experts and through the experts.
 * Throws    RangeError for more active experts than there are, and a capacity factor that is not above 0.
 *
 * @example moe({ features: 4, hidden: 8, experts: 3 }).init(random.key(0)).up.shape // [3,4,8]
 */
export function moe(options: MoeOptions): Moe {
  checkOptions('moe', options, moeNames, { positional: 'features' })
  const { features, hidden, experts, active = 2, capacityFactor = 1.25, order = 'token' } = options
  const { weights = 'renormalised', routerDtype = 'float32', gated = true } = options
  const { weight = lecunNormal({ batchAxis: 0 }) } = options
  for (const [name, value] of Object.entries({ features, hidden, experts })) {
    checkInteger('moe', name, value, 1)
  }
  checkInteger('moe', 'active', active, 1, experts)
  checkFlag('moe', 'gated', gated)
  const act = activationOf('moe', options.activation ?? 'silu')
  const policy = fullPolicy('moe', options.policy)
  const tokensOf = (x: Tensor): Tensor => {
    checkInput('moe', x, features)
    return reshape(x, [sizeOf(x.shape.slice(0, -1)), features])
  }
  const routes = ({ router }: MoeParameters, tokens: Tensor): MoeRoutes => {
    const logits = matmul(cast(tokens, routerDtype), cast(router, routerDtype))
    const routing = route(logits, { k: active, weights })
    const tokenCount = Math.max(1, tokens.shape[0]!)
    const capacity = expertCapacity({ tokens: tokenCount, experts, k: active, factor: capacityFactor })
    return { logits, routing, assignment: assignExperts(routing.experts, { experts, capacity, order }) }
  }
  return {
    init: (key) => {
      const into = [experts, features, hidden]
      return {
        router: initialized(lecunNormal(), foldIn(key, 0), [features, experts], policy.params),
        up: initialized(weight, foldIn(key, 1), into, policy.params),
        ...(gated && { gate: initialized(weight, foldIn(key, 3), into, policy.params) }),
        down: initialized(weight, foldIn(key, 2), [experts, hidden, features], policy.params),
      }
    },
    route: (params, x) => routes(params, tokensOf(x)),
    apply(params, x, applied) {
      const own = checkApply('moe', applied)
      const tokens = tokensOf(x)
      const { routing, assignment } = routes(params, tokens)
      const places = dispatch(tokens, assignment)
      const up = product(places, params.up, policy, inside(own, 1).key)
      const hiddens = params.gate
        ? mul(act(product(places, params.gate, policy, inside(own, 3).key)), up)
        : act(up)
      const made = product(hiddens, params.down, policy, inside(own, 2).key)
      return reshape(combine(made, assignment, routing.weights), x.shape)
    },
  }
}
