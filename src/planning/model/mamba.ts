import { type Architecture, type ParameterTensor, parameter } from './architecture.js'
import type { Mamba1Config, Mamba2Config } from './config.js'
import { checkSizes, isOn } from './sizes.js'

/** The tensors of Mamba-2. The fused projection holds z, x, B, C and dt, in that order. */
export function mamba2(op: string, config: Mamba2Config): Architecture {
  const { D, L, I = 2 * D, G = 1, S = 128, W = 4, V = 50288 } = config
  checkSizes(op, { D, L, I, G, S, W, V })
  const H = config.H ?? I / 64
  if (config.H === undefined && I % 64 !== 0) {
    throw new RangeError(
      `${op}: heads of 64 do not divide the inner width, nearest ${Math.max(64, 64 * Math.round(I / 64))}, or give H heads [I ${I}]`,
    )
  }
  checkSizes(op, { H })
  if (I % H !== 0) throw new RangeError(`${op}: H heads do not divide the inner width [I ${I}, H ${H}]`)
  if (H % G !== 0) throw new RangeError(`${op}: G groups do not divide the heads [H ${H}, G ${G}]`)
  const fused = 2 * I + 2 * G * S + H
  const convolved = I + 2 * G * S
  const tensors = [
    parameter('embedding', 'input-embedding', { V, D }, 1),
    parameter('layer.in', 'matrix', { D, '2I+2GS+H': fused }, L),
    parameter('layer.conv', 'convolution', { 'I+2GS': convolved, W }, L),
    parameter('layer.conv.bias', 'bias', { 'I+2GS': convolved }, L),
    parameter('layer.A_log', 'scan', { H }, L),
    parameter('layer.D', 'scan', { H }, L),
    parameter('layer.dt_bias', 'scan', { H }, L),
    parameter('layer.gatedNorm', 'norm', { I }, L),
    parameter('layer.out', 'matrix', { I, D }, L),
    parameter('layer.norm', 'norm', { D }, L),
    ...ending(op, config.tie, V, D),
  ]
  return {
    family: 'mamba2',
    D,
    L,
    V,
    norms: 1,
    tensors,
    attention: undefined,
    mlp: undefined,
    groups: [{ name: '', copies: L, attention: undefined, mlp: undefined }],
    scan: { I, H, G, S, W },
  }
}

/** The tensors of Mamba: a decay for every channel and state. */
export function mamba1(op: string, config: Mamba1Config): Architecture {
  const { D, L, I = 2 * D, S = 16, R = Math.ceil(D / 16), W = 4, V = 50280 } = config
  checkSizes(op, { D, L, I, S, R, W, V })
  const tensors = [
    parameter('embedding', 'input-embedding', { V, D }, 1),
    parameter('layer.in', 'matrix', { D, '2I': 2 * I }, L),
    parameter('layer.conv', 'convolution', { I, W }, L),
    parameter('layer.conv.bias', 'bias', { I }, L),
    parameter('layer.x', 'matrix', { I, 'R+2S': R + 2 * S }, L),
    parameter('layer.dt', 'matrix', { R, I }, L),
    parameter('layer.dt.bias', 'bias', { I }, L),
    parameter('layer.A_log', 'scan', { I, S }, L),
    parameter('layer.D', 'scan', { I }, L),
    parameter('layer.out', 'matrix', { I, D }, L),
    parameter('layer.norm', 'norm', { D }, L),
    ...ending(op, config.tie, V, D),
  ]
  const scan = { I, H: I, G: 1, S, W }
  const groups = [{ name: '', copies: L, attention: undefined, mlp: undefined }]
  return { family: 'mamba1', D, L, V, norms: 1, tensors, attention: undefined, mlp: undefined, groups, scan }
}

function ending(op: string, tie: boolean | undefined, V: number, D: number): ParameterTensor[] {
  const tied = isOn(op, 'tie', tie ?? true)
  return [parameter('norm', 'norm', { D }, 1), ...(tied ? [] : [parameter('output', 'output', { D, V }, 1)])]
}
