import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { checkVersion, loadPeers } from '../../src/adapters/queue/peers.js'
import { root } from '../support/project.js'

afterEach(() => {
  vi.doUnmock('pg-boss')
  vi.resetModules()
})

describe('loadPeers', () => {
  it('loads both, and knows the tables of this pg-boss', async () => {
    const { bossSchema } = await loadPeers('f')
    const { schema } = JSON.parse(readFileSync(`${root}node_modules/pg-boss/version.json`, 'utf8'))
    expect(bossSchema).toBe(schema)
  })

  it('names the command that installs what is missing', async () => {
    vi.doMock('pg-boss', () => {
      throw new Error("Cannot find package 'pg-boss'")
    })
    await expect(loadPeers('f')).rejects.toThrow(
      'f: pg-boss is not installed, `npm install pg@8 pg-boss@10` adds them [pg-boss]',
    )
  })
})

describe('checkVersion', () => {
  it.each(['10.4.0', '10.4.2', '10.12.0'])('takes pg-boss %s', (version) =>
    expect(() => checkVersion('f', version)).not.toThrow(),
  )
  it.each(['9.0.3', '10.3.3', '11.0.0', '12.1.0'])('refuses pg-boss %s', (version) =>
    expect(() => checkVersion('f', version)).toThrow(
      `f: pg-boss is not of version 10.4 or a later 10, \`npm install pg@8 pg-boss@10\` adds them [${version}]`,
    ),
  )
})
