import { checkRecord } from '../../base/options/index.js'

/** A group of hosts that save together: `joinHosts` of tpu-toolkit/hosts makes one, or any object that can send texts to all. */
export interface HostGroup {
  readonly host: number
  readonly hosts: number
  /** The texts of all hosts, by host, once each has called it with this name. */
  allGather(name: string, text: string): Promise<readonly string[]>
}

/** Throws a TypeError unless `group` has what a group has. */
export function checkGroup(op: string, group: unknown): void {
  if (group !== undefined) checkRecord(op, 'group', group, ['host', 'hosts', 'allGather'])
}

/** Each host does its part and receives the results of the others; if one fails, all do. */
export async function exchange(
  group: HostGroup,
  name: string,
  work: () => string | Promise<string>,
): Promise<string[]> {
  let own: { readonly error: unknown } | undefined
  let said = ''
  try {
    said = `+${await work()}`
  } catch (error) {
    own = { error }
    said = `-${error instanceof Error ? error.message : String(error)}`
  }
  const all = await group.allGather(name, said)
  if (own) throw own.error
  const failed = all.findIndex((text) => text.startsWith('-'))
  if (failed >= 0) throw new Error(`save: host ${failed} failed [${all[failed]!.slice(1)}]`)
  return all.map((text) => text.slice(1))
}
