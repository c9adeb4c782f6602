import {
  checkArray,
  checkInteger,
  checkName,
  checkOptions,
  type OptionTable,
} from '../../../base/options/index.js'

/**
 * The algorithms of NCCL whose order of additions its source fixes.
 * 'nccl-ring': the elements of a channel in loops of N chunks of `chunkBytes`; the chunks of the last loop are shorter, whole
 *   multiples of 16 bytes. Chunk c of a loop goes round from position c + 1 of the ring and is complete at position c.
 * 'nccl-tree': the double binary tree: the first half of the channels adds along one tree of the nodes, the second half along
 *   its mirror image (an even number of nodes) or the same tree shifted by one node (an odd number). Within a node the
 *   replicas are a chain. Each replica adds to its own elements those of the chain, then of the lower node's subtree, then of
 *   the higher node's.
 */
export type NcclOrder = 'nccl-ring' | 'nccl-tree'

export const ncclOrders: readonly NcclOrder[] = ['nccl-ring', 'nccl-tree']

/** Which replicas of a node the trees of other nodes are attached to, by NCCL's names for its tree graphs. */
export type NcclTreePattern = 'tree' | 'balanced' | 'split'

/** How replicas are reduced by NCCL. */
export interface NcclReduceOptions {
  /** Who adds what to what. */
  readonly order: NcclOrder
  /** The sum, or the mean: then every addend is first multiplied by 1/N, rounded. Default: 'sum'. */
  readonly op?: 'sum' | 'mean'
  /**
   * Channels among which the elements are divided; NCCL's log (`NCCL_DEBUG=INFO`) shows how many a run has, and it uses fewer
   * of them for small tensors. A tree needs an even number. Default: 1 of a ring, 2 of a tree.
   */
  readonly channels?: number
  /** A channel has whole cells of so many bytes. Default: 16; versions since 2.24 have cells of 8 or 16 KiB. */
  readonly cellBytes?: number
  /** Bytes of a ring's chunk. Default: 2 MiB, half of the buffer of 4 MiB (`NCCL_BUFFSIZE`) that protocol Simple has. */
  readonly chunkBytes?: number
  /** The order of the replicas round the ring of each channel; channels beyond them begin again. Default: ascending. */
  readonly rings?: readonly (readonly number[])[]
  /** Replicas of a node, consecutive ones. Default: 1, a tree of all replicas. */
  readonly perNode?: number
  /**
   * Where in a node's chain subtrees of other nodes come in: 'tree' both at its first replica, 'split' both at its second,
   * 'balanced' the lower node's at its second and the higher node's at its first. Default: 'balanced', 'tree' with one replica a node.
   */
  readonly pattern?: NcclTreePattern
}

/** The same, complete. */
export type NcclReduction = Required<NcclReduceOptions>

const names: OptionTable<NcclReduceOptions> = {
  ...{ order: 'required', op: 'optional', channels: 'optional', chunkBytes: 'optional', rings: 'optional' },
  ...{ cellBytes: 'optional', perNode: 'optional', pattern: 'optional' },
}
const ofTrees = ['perNode', 'pattern'] as const
const ofRings = ['rings', 'chunkBytes'] as const

/** The options for so many replicas, with their defaults; throws where they do not fit each other. */
export function ncclReduction(op: string, options: NcclReduceOptions, replicas: number): NcclReduction {
  checkOptions(op, options, names)
  const { order, op: kind = 'sum' } = options
  const isTree = order === 'nccl-tree'
  const { channels = isTree ? 2 : 1, cellBytes = 16, chunkBytes = 2 ** 21, perNode = 1 } = options
  const { pattern = perNode === 1 ? 'tree' : 'balanced' } = options
  const { rings = [Array.from({ length: replicas }, (_, r) => r)] } = options
  checkName(op, 'op', kind, ['sum', 'mean'])
  for (const name of isTree ? ofRings : ofTrees) {
    if (options[name] !== undefined) {
      throw new RangeError(`${op}: order ${order} has no ${name} [${options[name]}]`)
    }
  }
  checkInteger(op, 'channels', channels, 1, 1024)
  if (isTree && channels % 2 !== 0) {
    throw new RangeError(`${op}: a tree has an odd number of channels [${channels}]`)
  }
  for (const [name, bytes] of Object.entries({ cellBytes, chunkBytes })) {
    checkInteger(op, name, bytes, 16, 2 ** 30)
    if (bytes % 16 !== 0) throw new RangeError(`${op}: ${name} is no multiple of 16 [${bytes}]`)
  }
  checkInteger(op, 'perNode', perNode, 1)
  if (replicas % perNode !== 0) {
    throw new RangeError(`${op}: replicas do not fill nodes of ${perNode} [${replicas}]`)
  }
  checkName(op, 'pattern', pattern, ['tree', 'balanced', 'split'])
  if (perNode === 1 && pattern !== 'tree') {
    throw new RangeError(`${op}: a node of one replica has pattern tree [${pattern}]`)
  }
  checkRings(op, rings, replicas)
  return { order, op: kind, channels, cellBytes, chunkBytes, rings, perNode, pattern }
}

function checkRings(op: string, rings: readonly (readonly number[])[], replicas: number): void {
  checkArray(op, 'rings', rings)
  if (rings.length === 0) throw new RangeError(`${op}: rings are empty []`)
  for (const ring of rings) {
    checkArray(op, 'a ring', ring)
    const met = new Set(ring)
    if (ring.length !== replicas || !Array.from(ring, (_, r) => met.has(r)).every(Boolean)) {
      throw new RangeError(
        `${op}: a ring does not have each of ${replicas} replicas once [${ring.join(', ')}]`,
      )
    }
  }
}
