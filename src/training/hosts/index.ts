// Hosts that are processes: found through a coordinator, each connected with each over TCP; sums over them with the bits of
// `collectives`; one that dies is noticed by all. Needs Node. Read joinHosts.ts first, then reduceOver.ts and mesh.ts.
export { type Hosts, joinHosts, type JoinOptions } from './joinHosts.js'
export { HostLost } from './mesh.js'
