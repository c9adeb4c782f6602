// Collective operations over simulated replicas: the sums that data-parallel training makes of its gradients, in the
// order in which a ring, a tree or an all-to-all adds them, every partial sum rounded; and what the links carry. Read
// allReduce.ts first, then orders.ts, where the additions are.

export { allReduce, type AllReduceOptions } from './allReduce.js'
export type { ReduceOrder } from './orders.js'
export type { NcclOrder, NcclReduceOptions, NcclTreePattern } from './nccl/ncclOptions.js'
export { allGather, reduceScatter, type ReduceScatterOptions } from './reduceScatter.js'
export { collectiveTraffic, type Link, type Traffic, type TrafficOptions } from './collectiveTraffic.js'
export { type DeviceMesh, deviceMesh, type DeviceMeshOptions } from './deviceMesh.js'
export { addends, type Sharded, shard, unshard } from './sharded.js'
export type { AllToAllOptions, GatherOptions, ReduceOptions, ScatterOptions } from './along.js'
export type { GroupOrder } from './groupSum.js'
export type { Moved, Movement, RingOrder, Wires } from './movement.js'
export type { ShardedMatmulOptions } from './shardedMatmul.js'
