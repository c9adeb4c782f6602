import { checkInteger } from '../../base/options/index.js'
import {
  type Architecture,
  type AttentionShape,
  type LayerGroup,
  type MlpShape,
  type ParameterTensor,
  parameter,
} from './architecture.js'
import type { DecoderConfig, Gpt2Config, ParallelConfig } from './config.js'
import { checkSizes, headsOf, isOn, nearestDivisor } from './sizes.js'

/** The tensors of a LLaMA-like decoder. */
export function decoder(op: string, config: DecoderConfig): Architecture {
  const { D, F, L, N, V, K = N, experts = 0, active = experts === 0 ? 0 : 2, norms = 2 } = config
  checkSizes(op, { D, F, L, N, V, K })
  for (const [name, value] of Object.entries({ experts, active, norms })) checkInteger(op, name, value)
  const H = config.H ?? headsOf(op, D, N)
  checkSizes(op, { H })
  if (N % K !== 0) {
    throw new RangeError(`${op}: K does not divide N, nearest ${nearestDivisor(N, K)} [N ${N}, K ${K}]`)
  }
  if (active > experts) {
    throw new RangeError(`${op}: more active experts than experts [${active} of ${experts}]`)
  }
  const tie = isOn(op, 'tie', config.tie)
  isOn(op, 'embeddingScale', config.embeddingScale)
  const kinds = decoderKinds(op, config, { D, F, N, K, H, experts, active })
  const groups = layerGroups(op, config, kinds)
  const copiesOf = (has: (group: LayerGroup) => boolean): number =>
    groups.reduce((sum, group) => sum + (has(group) ? group.copies : 0), 0)
  const isLocal = ({ attention }: LayerGroup): boolean => attention === kinds.local
  const isRouted = ({ mlp }: LayerGroup): boolean => mlp === kinds.routed && experts > 0
  const apart = kinds.global !== kinds.local && differs(kinds.global, kinds.local)
  const tensors: ParameterTensor[] = [
    parameter('embedding', 'input-embedding', { V, D }, 1),
    ...(apart
      ? [
          ...attentionTensors(op, config, kinds.local, 'layer.attention', copiesOf(isLocal)),
          ...attentionTensors(
            op,
            config,
            kinds.global,
            'layer.attention.global',
            copiesOf((group) => !isLocal(group)),
          ),
        ]
      : attentionTensors(op, config, kinds.local, 'layer.attention', L)),
    ...mlpTensors(op, config, kinds, { D, routed: copiesOf(isRouted), dense: L - copiesOf(isRouted) }),
    ...Array.from({ length: norms }, (_, i) => parameter(`layer.norm${i + 1}`, 'norm', { D }, L)),
    parameter('norm', 'norm', { D }, 1),
    ...(tie ? [] : [parameter('output', 'output', { D, V }, 1)]),
  ]
  return {
    ...{ family: 'decoder', D, L, V, norms, tensors, scan: undefined, groups },
    attention: kinds.local,
    mlp: kinds.routed,
  }
}

/** Kinds of attention and of MLP that the layers of a decoder have. */
interface Kinds {
  readonly local: AttentionShape
  readonly global: AttentionShape
  readonly routed: MlpShape
  readonly dense: MlpShape
}

type Sizes = Readonly<Record<'D' | 'F' | 'N' | 'K' | 'H' | 'experts' | 'active', number>>

function decoderKinds(op: string, config: DecoderConfig, { F, N, K, H, experts, active }: Sizes): Kinds {
  const { window, globalEvery, globalH = H, globalK = K, kvRank, qRank, ropeH, vH } = config
  const { expertF = F, sharedExperts = 0 } = config
  const optional = { window, globalEvery, globalH, globalK, kvRank, qRank, ropeH, vH, expertF }
  for (const [name, value] of Object.entries(optional)) {
    if (value !== undefined) checkSizes(op, { [name]: value })
  }
  checkInteger(op, 'sharedExperts', sharedExperts)
  if (globalEvery !== undefined && window === undefined) {
    throw new RangeError(`${op}: globalEvery without a window, all layers are global [${globalEvery}]`)
  }
  if (N % globalK !== 0) {
    throw new RangeError(
      `${op}: globalK does not divide N, nearest ${nearestDivisor(N, globalK)} [N ${N}, globalK ${globalK}]`,
    )
  }
  if (kvRank === undefined && (qRank ?? ropeH ?? vH) !== undefined) {
    throw new RangeError(`${op}: qRank, ropeH and vH belong to latent attention, give kvRank too [no kvRank]`)
  }
  const gated = isOn(op, 'gated', config.gated ?? true)
  const shared = sharedExperts * expertF
  const routed = { F: experts > 0 ? expertF : F, gated, experts, active, ...(shared > 0 ? { shared } : {}) }
  const dense = experts > 0 ? { F, gated, experts: 0, active: 0 } : routed
  const near = window === undefined ? {} : { window }
  if (kvRank !== undefined) {
    const latent = { cached: kvRank + (ropeH ?? 0), latent: kvRank + (ropeH ?? 0) + (qRank ?? 0) }
    const shape = { N, K, H: H + (ropeH ?? 0), V: vH ?? H, ...latent }
    const local = { ...shape, ...near }
    return { local, global: globalEvery === undefined ? local : shape, routed, dense }
  }
  const local = { N, K, H, ...near }
  const same = isOn(op, 'keysAreValues', config.keysAreValues)
  const wide = { N, K: globalK, H: globalH, ...(same ? { cached: globalK * globalH } : {}) }
  return { local, global: globalEvery === undefined ? local : wide, routed, dense }
}

const differs = (a: AttentionShape, b: AttentionShape): boolean =>
  a.K !== b.K || a.H !== b.H || a.cached !== b.cached

/** Layers in a row, counted by what they have. */
function layerGroups(op: string, config: DecoderConfig, kinds: Kinds): readonly LayerGroup[] {
  const { L, globalEvery, experts = 0, denseLayers = 0, expertEvery = 1 } = config
  checkInteger(op, 'denseLayers', denseLayers, 0, L)
  checkSizes(op, { expertEvery })
  if (experts === 0 && (denseLayers > 0 || expertEvery > 1)) {
    throw new RangeError(`${op}: denseLayers and expertEvery belong to models with experts [0 experts]`)
  }
  const windows = globalEvery !== undefined
  const mixed = experts > 0 && (denseLayers > 0 || expertEvery > 1)
  if (!windows && !mixed) {
    return [{ name: '', copies: L, attention: kinds.local, mlp: kinds.routed }]
  }
  const counts = new Map<string, LayerGroup>()
  for (let layer = 1; layer <= L; layer++) {
    const isGlobal = windows && layer % globalEvery === 0
    const isRouted = experts > 0 && layer > denseLayers && layer % expertEvery === 0
    const name = [
      ...(windows ? [isGlobal ? 'global' : 'local'] : []),
      ...(mixed ? [isRouted ? 'experts' : 'dense'] : []),
    ].join(' ')
    counts.set(name, {
      ...{ name, copies: (counts.get(name)?.copies ?? 0) + 1 },
      attention: isGlobal ? kinds.global : kinds.local,
      mlp: isRouted || !mixed ? kinds.routed : kinds.dense,
    })
  }
  return [...counts.values()]
}

function attentionTensors(
  op: string,
  config: DecoderConfig,
  { N, K, H, V = H, cached }: AttentionShape,
  name: string,
  L: number,
): ParameterTensor[] {
  const { D, kvRank: C, qRank: R, ropeH = 0 } = config
  const biased = isOn(op, 'qkvBias', config.qkvBias ?? config.qkv_bias)
  const normed = isOn(op, 'qkNorm', config.qkNorm ?? config.qk_norm)
  const ends = [
    ...(isOn(op, 'oBias', config.oBias) ? [parameter(`${name}.o.bias`, 'bias', { D }, L)] : []),
    ...(isOn(op, 'sinks', config.sinks) ? [parameter(`${name}.sinks`, 'bias', { N }, L)] : []),
  ]
  if (C !== undefined) {
    return [
      ...(R === undefined
        ? [parameter(`${name}.q`, 'matrix', { D, N, H }, L)]
        : [
            parameter(`${name}.q.down`, 'matrix', { D, R }, L),
            parameter(`${name}.q.norm`, 'norm', { R }, L),
            parameter(`${name}.q.up`, 'matrix', { R, N, H }, L),
          ]),
      parameter(`${name}.kv.down`, 'matrix', { D, C: C + ropeH }, L),
      parameter(`${name}.kv.norm`, 'norm', { C }, L),
      parameter(`${name}.kv.up`, 'matrix', { C, N, 'H+V': H - ropeH + V }, L),
      parameter(`${name}.o`, 'matrix', { N, H: V, D }, L, 2),
      ...ends,
    ]
  }
  const ownValues = cached === undefined
  return [
    parameter(`${name}.q`, 'matrix', { D, N, H }, L),
    parameter(`${name}.k`, 'matrix', { D, K, H }, L),
    ...(ownValues ? [parameter(`${name}.v`, 'matrix', { D, K, H }, L)] : []),
    parameter(`${name}.o`, 'matrix', { N, H, D }, L, 2),
    ...(biased ? [parameter(`${name}.q.bias`, 'bias', { N, H }, L)] : []),
    ...(biased ? [parameter(`${name}.k.bias`, 'bias', { K, H }, L)] : []),
    ...(biased && ownValues ? [parameter(`${name}.v.bias`, 'bias', { K, H }, L)] : []),
    ...(normed ? [parameter(`${name}.q.norm`, 'norm', { H }, L)] : []),
    ...(normed ? [parameter(`${name}.k.norm`, 'norm', { H }, L)] : []),
    ...ends,
  ]
}

/** The router and the experts of the layers that have them, and the MLP of the others. */
function mlpTensors(
  op: string,
  config: DecoderConfig,
  { routed, dense }: Kinds,
  { D, routed: layers, dense: others }: Readonly<Record<'D' | 'routed' | 'dense', number>>,
): ParameterTensor[] {
  const { experts: E, gated, shared = 0 } = routed
  const biased = isOn(op, 'mlpBias', config.mlpBias)
  const routerBias = isOn(op, 'routerBias', config.routerBias)
  const three = (name: string, F: number, copies: number): ParameterTensor[] => [
    ...(gated ? [parameter(`${name}.gate`, 'matrix', { D, F }, copies)] : []),
    parameter(`${name}.up`, 'matrix', { D, F }, copies),
    parameter(`${name}.down`, 'matrix', { F, D }, copies),
    ...(biased ? [parameter(`${name}.up.bias`, 'bias', { F: gated ? 2 * F : F }, copies)] : []),
    ...(biased ? [parameter(`${name}.down.bias`, 'bias', { D }, copies)] : []),
  ]
  if (E === 0) return three('layer.mlp', dense.F, others)
  const { F } = routed
  return [
    parameter('layer.router', 'matrix', { D, E }, layers),
    ...(routerBias ? [parameter('layer.router.bias', 'bias', { E }, layers)] : []),
    ...(gated ? [parameter('layer.mlp.gate', 'expert', { E, D, F }, layers)] : []),
    parameter('layer.mlp.up', 'expert', { E, D, F }, layers),
    parameter('layer.mlp.down', 'expert', { E, F, D }, layers),
    ...(biased ? [parameter('layer.mlp.up.bias', 'bias', { E, F: gated ? 2 * F : F }, layers)] : []),
    ...(biased ? [parameter('layer.mlp.down.bias', 'bias', { E, D }, layers)] : []),
    ...(shared > 0 ? three('layer.shared', shared, layers) : []),
    ...(others > 0 ? three('layer.dense', dense.F, others) : []),
  ]
}

/** The tensors of GPT-2, GPT-NeoX and Phi: the same layer with biases, up to norms and embeddings. */
export function biased(op: string, config: Gpt2Config | ParallelConfig): Architecture {
  checkInteger(op, 'D', config.D, 1)
  const { family, D, L, F = 4 * D } = config
  const V = config.V ?? 50257
  const T = config.family === 'gpt2' ? (config.T ?? 1024) : 0
  checkSizes(op, { D, L, V, F })
  checkInteger(op, 'T', T)
  const N = config.N ?? (D % 64 === 0 ? D / 64 : 1)
  const H = headsOf(op, D, N)
  const norms = family === 'phi' ? 1 : 2
  const norm = (name: string, copies: number): ParameterTensor[] => [
    parameter(`${name}.scale`, 'norm', { D }, copies),
    parameter(`${name}.bias`, 'norm', { D }, copies),
  ]
  const tensors: ParameterTensor[] = [
    parameter('embedding', 'input-embedding', { V, D }, 1),
    ...(family === 'gpt2' ? [parameter('positions', 'position-embedding', { T, D }, 1)] : []),
    ...['q', 'k', 'v'].flatMap((name) => [
      parameter(`layer.attention.${name}`, 'matrix', { D, N, H }, L),
      parameter(`layer.attention.${name}.bias`, 'bias', { N, H }, L),
    ]),
    parameter('layer.attention.o', 'matrix', { N, H, D }, L, 2),
    parameter('layer.attention.o.bias', 'bias', { D }, L),
    parameter('layer.mlp.up', 'matrix', { D, F }, L),
    parameter('layer.mlp.up.bias', 'bias', { F }, L),
    parameter('layer.mlp.down', 'matrix', { F, D }, L),
    parameter('layer.mlp.down.bias', 'bias', { D }, L),
    ...Array.from({ length: norms }, (_, i) => norm(`layer.norm${i + 1}`, L)).flat(),
    ...norm('norm', 1),
    ...(family === 'gpt2' ? [] : [parameter('output', 'output', { D, V }, 1)]),
    ...(family === 'phi' ? [parameter('output.bias', 'bias', { V }, 1)] : []),
  ]
  const [attention, mlp] = [
    { N, K: N, H },
    { F, gated: false, experts: 0, active: 0 },
  ]
  return {
    ...{ family, D, L, V, norms, tensors, scan: undefined, attention, mlp },
    groups: [{ name: '', copies: L, attention, mlp }],
  }
}
