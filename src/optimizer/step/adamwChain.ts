import type { Fusion, Optimizer } from '../transformation.js'

/** A recognised chain: clip and zeroNans in either order or left out, then Adam, weight decay or not, a scale. */
export interface AdamwChain {
  readonly clip: Extract<Fusion, { kind: 'clip' }> | undefined
  readonly zeroNans: 'before' | 'after' | 'never'
  readonly adam: Extract<Fusion, { kind: 'adam' }>
  readonly decay: Extract<Fusion, { kind: 'decay' }> | undefined
  readonly scale: Extract<Fusion, { kind: 'scale' }>
}

/** The chain as the fused step knows it, undefined where it is another one. */
export function recognize(transform: Optimizer): AdamwChain | undefined {
  const links = linksOf(transform).map((link) => link.fusion)
  if (links.some((link) => link === undefined)) return undefined
  const kinds = links.map((link) => link!.kind).join(' ')
  if (!/^(clip zeroNans |zeroNans clip |clip |zeroNans )?adam (decay )?scale$/.test(kinds)) return undefined
  const find = <K extends Fusion['kind']>(kind: K) =>
    links.find((link) => link!.kind === kind) as Extract<Fusion, { kind: K }> | undefined
  const zeroNans = !find('zeroNans') ? 'never' : kinds.startsWith('zeroNans') ? 'before' : 'after'
  return { clip: find('clip'), zeroNans, adam: find('adam')!, decay: find('decay'), scale: find('scale')! }
}

/** The transforms of nested chains, in order. */
function linksOf(transform: Optimizer): readonly Optimizer[] {
  return transform.fusion?.kind === 'chain' ? transform.fusion.links.flatMap(linksOf) : [transform]
}
