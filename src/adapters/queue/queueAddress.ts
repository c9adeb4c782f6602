import { checkText } from '../../base/options/index.js'

/**
 * Checks the address of a database, `postgres://user@host:5432/name`, and returns it as it may be shown: without its password.
 * What is left out of it comes from PGHOST, PGUSER, PGPASSWORD and so on.
 *
 * Throws    TypeError for anything but a text, RangeError for an invalid address; neither message contains the text.
 *
 * @example queueAddress('f', 'postgres://me:secret@db.example:5432/runs') // 'postgres://me@db.example:5432/runs'
 * queueAddress('f', 'mysql://me:secret@db.example/runs') // throws f: not the address of a PostgreSQL database, postgres://user@host:5432/name
 */
export function queueAddress(op: string, url: string): string {
  checkText(op, 'url', url)
  const refused = new RangeError(
    `${op}: not the address of a PostgreSQL database, postgres://user@host:5432/name`,
  )
  const [, rest] = /^postgres(?:ql)?:\/\/[^/?#]*(.*)$/s.exec(url) ?? []
  if (rest === undefined) throw refused
  // Such as postgres://me:12/secret@host/name, which is host me, port 12.
  if (rest.includes('@')) {
    throw new RangeError(
      `${op}: the address has an @ behind its host; in a name or password / ? # @ are written %2F %3F %23 %40`,
    )
  }
  let parsed: URL
  try {
    // pg takes an address without a host for that of the local socket, which a URL with a user cannot be.
    parsed = new URL(url.replace('@/', '@localhost/'))
  } catch {
    throw refused
  }
  const user = parsed.username === '' ? '' : `${parsed.username}@`
  return `${parsed.protocol}//${user}${parsed.host}${parsed.pathname}`
}
