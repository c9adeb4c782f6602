import fc from 'fast-check'
import { queueAddress, queueRunner, queueWorker } from 'tpu-toolkit/queue'
import { describe, expect, it } from 'vitest'
import { withoutPasswords } from '../../src/cli/io/withoutPasswords.js'
import { seed } from '../support/seed.js'

describe('queueAddress', () => {
  it.each([
    ['postgres://me:secret@db.example:5432/runs', 'postgres://me@db.example:5432/runs'],
    ['postgresql://db.example/runs', 'postgresql://db.example/runs'],
    ['postgres://me:secret@db/runs?password=secret&sslmode=require', 'postgres://me@db/runs'],
    ['postgres://me:s%40e@/runs', 'postgres://me@localhost/runs'],
  ])('shows %s as it may be shown', (url, shown) => expect(queueAddress('f', url)).toBe(shown))

  it(`never shows a password (seed ${seed})`, () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/)
    const password = fc.stringMatching(/^[A-Z0-9:@%/]{8,12}$/)
    fc.assert(
      fc.property(word, password, word, (user, secret, host) => {
        const url = `postgres://${user}:${encodeURIComponent(secret)}@${host}/runs`
        expect(queueAddress('f', url)).toBe(`postgres://${user}@${host}/runs`)
        expect(withoutPasswords(`unknown option '--queu=${url}'`)).toBe(
          `unknown option '--queu=postgres://${user}:...@${host}/runs'`,
        )
      }),
      { seed },
    )
  })

  it.each([
    'postgres://me:12/secret@db.example/runs',
    'postgres://me:12?secret@db.example/runs',
    'postgres://me:12#secret@db.example/runs',
    'postgres://me:a@b/secret@db.example/runs',
    'postgres://me:a@b?secret@db.example/runs',
  ])('refuses %s, which ends the host in the middle of the password, and shows none of it', (url) => {
    expect(() => queueAddress('f', url)).toThrow(
      /^f: the address has an @ behind its host; in a name or password \/ \? # @ are written %2F %3F %23 %40$/,
    )
    expect(withoutPasswords(`unknown option '--queu=${url}'`)).toBe(
      "unknown option '--queu=postgres://me:...@db.example/runs'",
    )
  })

  it.each(['mysql://me:secret@db/runs', 'db.example', '', 'postgres://me:secret@:x/'])(
    'refuses %s without showing it',
    (url) =>
      expect(() => queueAddress('f', url)).toThrow(
        /^f: not the address of a PostgreSQL database, postgres:\/\/user@host:5432\/name$/,
      ),
  )
})

describe.each([
  ['queueRunner', (options: object) => queueRunner({ experiment: 'step2750', ...options } as never)],
  ['queueWorker', (options: object) => queueWorker(options as never)],
] as const)('%s', (name, call) => {
  it.each(['', ' ', '\0', 'Übung', '日本', 'a\\b', 'x'.repeat(201)])(
    'refuses the name %j of a sweep',
    async (given) => {
      if (name !== 'queueRunner') return
      await expect(call({ url: 'postgres://127.0.0.1:1/none', name: given })).rejects.toThrow(
        /^queueRunner: the name of a sweep is not 1 to 200 printable ASCII characters/,
      )
    },
  )

  it('says what is wrong with its options, before it connects', async () => {
    await expect(call({ url: 'postgres://db', patient: 1 })).rejects.toThrow(
      `${name}: unknown option, did you mean patience [patient]`,
    )
    await expect(call({})).rejects.toThrow(`${name}: option url is missing`)
    await expect(call({ url: 'postgres://db', patience: -1 })).rejects.toThrow(
      `${name}: patience is not a finite number, 0 or more [-1]`,
    )
  })
})
