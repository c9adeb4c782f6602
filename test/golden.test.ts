import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const folder = new URL('./golden/', import.meta.url)
const sha256 = (name: string): string =>
  createHash('sha256')
    .update(readFileSync(new URL(name, folder)))
    .digest('hex')
const listed = readFileSync(new URL('CHECKSUMS', folder), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [sum = '', name = ''] = line.split('  ')
    return { name, sum }
  })
const onDisk = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(fileURLToPath(folder), `${entry.parentPath}/${entry.name}`).replaceAll('\\', '/'))
  .filter((name) => name !== 'CHECKSUMS' && !name.endsWith('.md'))

describe('test/golden/CHECKSUMS', () => {
  it('lists every answer key (python3 scripts/golden/checksums.py lists new ones)', () => {
    const names = new Set(listed.map(({ name }) => name))
    expect(onDisk.filter((name) => !names.has(name))).toEqual([])
  })

  it('names only files that exist', () => {
    expect(listed.filter(({ name }) => !existsSync(new URL(name, folder)))).toEqual([])
  })

  it('has the sha256 of each of them', () => {
    const present = listed.filter(({ name }) => existsSync(new URL(name, folder)))
    expect(present.filter(({ name, sum }) => sha256(name) !== sum).map(({ name }) => name)).toEqual([])
    expect(present.length).toBeGreaterThan(100)
  })
})

interface Hashes<T> {
  readonly sha256: Readonly<Record<string, T>>
}

describe('unary tables of formats', () => {
  const read = <T>(name: string): Hashes<T> => JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
  const computed =
    read<Readonly<Record<string, string>>>('functions/unary_sha256.json').sha256['bfloat16'] ?? {}

  it.each(['exp', 'log', 'softplus', 'tanh'])('%s is what scripts/golden/unary.py computes', (name) => {
    expect(sha256(`formats/unary_bfloat16_${name}.bin`)).toBe(computed[name])
  })

  it('and the 32 hashes beside them are what it computes', () => {
    const renamed: Readonly<Record<string, string>> = { gelu_tanh: 'geluTanh', round: 'rint' }
    const stored = Object.entries(read<string>('formats/unary_bfloat16_sha256.json').sha256)
    expect(stored.filter(([name, sum]) => computed[renamed[name] ?? name] !== sum)).toEqual([])
    expect(stored.length).toBe(32)
  })
})
