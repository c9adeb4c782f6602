// Sweeps over many machines: trials in a PostgreSQL database, taken by workers wherever they run, each row kept once. Needs Node,
// pg and pg-boss 10 (optional peers). Read queueRunner.ts first, then queueWorker.ts; supervise.ts says who counts as gone.
export { queueRunner, type QueueRunner, type QueueRunnerOptions } from './queueRunner.js'
export { queueWorker, type QueueWorkerEnd, type QueueWorkerOptions } from './queueWorker.js'
export { QueueFailed } from './session.js'
export { queueAddress } from './queueAddress.js'
