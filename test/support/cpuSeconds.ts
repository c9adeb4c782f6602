/** Seconds of processor time since a reading of `process.cpuUsage()`: unlike a clock it does not count the work of other processes. */
export function cpuSeconds(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1e6
}
