import { checkInteger } from '../../base/options/index.js'
import { type Architecture, type ParameterTensor, parameter } from './architecture.js'
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
  const gated = isOn(op, 'gated', config.gated ?? true)
  const tie = isOn(op, 'tie', config.tie)
  const biased = isOn(op, 'qkvBias', config.qkvBias ?? config.qkv_bias)
  const normed = isOn(op, 'qkNorm', config.qkNorm ?? config.qk_norm)
  const wide = experts === 0 ? {} : { E: experts }
  const role = experts === 0 ? 'matrix' : 'expert'
  const tensors: ParameterTensor[] = [
    parameter('embedding', 'input-embedding', { V, D }, 1),
    parameter('layer.attention.q', 'matrix', { D, N, H }, L),
    parameter('layer.attention.k', 'matrix', { D, K, H }, L),
    parameter('layer.attention.v', 'matrix', { D, K, H }, L),
    parameter('layer.attention.o', 'matrix', { N, H, D }, L, 2),
    ...(biased ? [parameter('layer.attention.q.bias', 'bias', { N, H }, L)] : []),
    ...(biased ? [parameter('layer.attention.k.bias', 'bias', { K, H }, L)] : []),
    ...(biased ? [parameter('layer.attention.v.bias', 'bias', { K, H }, L)] : []),
    ...(normed ? [parameter('layer.attention.q.norm', 'norm', { H }, L)] : []),
    ...(normed ? [parameter('layer.attention.k.norm', 'norm', { H }, L)] : []),
    ...(experts > 0 ? [parameter('layer.router', 'matrix', { D, E: experts }, L)] : []),
    ...(gated ? [parameter('layer.mlp.gate', role, { ...wide, D, F }, L)] : []),
    parameter('layer.mlp.up', role, { ...wide, D, F }, L),
    parameter('layer.mlp.down', role, { ...wide, F, D }, L),
    ...Array.from({ length: norms }, (_, i) => parameter(`layer.norm${i + 1}`, 'norm', { D }, L)),
    parameter('norm', 'norm', { D }, 1),
    ...(tie ? [] : [parameter('output', 'output', { D, V }, 1)]),
  ]
  return {
    ...{ family: 'decoder', D, L, V, norms, tensors, scan: undefined },
    attention: { N, K, H },
    mlp: { F, gated, experts, active },
  }
}

/** The tensors of GPT-2, GPT-NeoX and Phi: the same layer with biases, up to norms and embeddings. */
export function biased(op: string, config: Gpt2Config | ParallelConfig): Architecture {
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
  return {
    ...{ family, D, L, V, norms, tensors, scan: undefined },
    attention: { N, K: N, H },
    mlp: { F, gated: false, experts: 0, active: 0 },
  }
}
