/**
 * Run by `npm run lines` and CI: counts the lines of each wing (a folder of src, wasm, scripts, lab) in the working tree against the commit before
 * HEAD, or against the commit given as an argument. Fails where a wing grew by over 3 % while no changeset was written and CHANGELOG.md is
 * unchanged. A renamed file counts for the wing it is in now, so a move is no growth. Without that commit (a shallow clone) it only counts.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const base = process.argv[2] ?? 'HEAD^'
const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 2 ** 28 })
const wingOf = (path) => /^(wasm|scripts|lab|src\/[^/]+(?=\/)|src)(?=\/)/.exec(path)?.[0]

/** Lines now and before by wing. */
const wings = new Map()
function count(path, now, before) {
  const wing = wingOf(path)
  if (wing === undefined) return
  const lines = wings.get(wing) ?? { now: 0, before: 0 }
  wings.set(wing, { now: lines.now + now, before: lines.before + before })
}

for (const path of git('ls-files', '-z').split('\0')) {
  if (wingOf(path) === undefined || !existsSync(path)) continue
  const content = readFileSync(path)
  if (content.includes(0)) continue
  const lines = content.toString().match(/\n|[^\n]$/g)?.length ?? 0
  count(path, lines, lines)
}

const known = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${base}^{commit}`]).status === 0
if (!known && process.argv[2] !== undefined) throw new RangeError(`lines: no such commit [${base}]`)
let noted = false
if (known) {
  // Fields between NUL bytes: "added, removed, path", where a rename has an empty path and then both.
  const fields = git('diff', '--numstat', '-z', '--find-renames', '-l0', base).split('\0')
  while (fields.length > 1) {
    const [added, removed, path] = fields.shift().split('\t')
    const at = path || fields.splice(0, 2)[1]
    noted ||= at === 'CHANGELOG.md' || (/^\.changeset\/(?!README).*\.md$/.test(at) && added > 0)
    if (added !== '-') count(at, 0, removed - added)
  }
}

const all = [...wings].sort(([a], [b]) => (a < b ? -1 : 1))
const total = all.reduce(
  (sum, [, { now, before }]) => ({ now: sum.now + now, before: sum.before + before }),
  {
    now: 0,
    before: 0,
  },
)
for (const [wing, { now, before }] of [...all, ['total', total]]) {
  const change = known ? `${now < before ? '' : '+'}${now - before}` : ''
  console.log(`${wing.padEnd(20)}${String(now).padStart(8)}${change.padStart(8)}`.trimEnd())
}
if (!known) console.log('lines: the commit before is not in this clone, nothing is compared')

const grown = all.filter(([, { now, before }]) => now > 1.03 * before)
if (grown.length > 0 && !noted) {
  console.error(
    `lines: a wing grew by over 3 % without a changeset [${grown.map(([wing]) => wing).join(', ')}]`,
  )
  process.exitCode = 1
}
