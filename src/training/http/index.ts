// The HTTP server behind the lab, the live page of a sweep and the metrics: it only answers reads. Needs Node.
export { readOnlyServer } from './readOnlyServer.js'
