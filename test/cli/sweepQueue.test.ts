import { describe, expect, it } from 'vitest'
import { runCli } from '../support/runCli.js'

const bare = 'not the address of a PostgreSQL database, postgres://user@host:5432/name'

describe('sweep --queue', () => {
  it.each([
    [['--retry-failed'], '--retry-failed says nothing without --queue'],
    [['--queue-name', 'a'], '--queue-name says nothing without --queue'],
    [['--patience', '3'], '--patience says nothing without --queue'],
    [['--queue', 'mysql://me:secret@db/runs'], bare],
    [
      ['--queue', 'postgres://db/runs', '--patience', 'x'],
      '--patience is not a whole number from 0 to 1000000 [x]',
    ],
  ])('%j is bad input: one line, status 2', async (args, said) => {
    expect(await runCli('sweep', ...args)).toEqual({ status: 2, out: '', error: `sweep: ${said}\n` })
  })
})

describe('worker', () => {
  it.each([
    [['mysql://me:secret@db/runs'], bare],
    [['postgres://db/runs', '--workers', '0'], '--workers is not a whole number from 1 to 256 [0]'],
    [
      ['postgres://db/runs', '--worker=postgres://me:secret@db/runs'],
      "unknown option '--worker=postgres://me:...@db/runs', did you mean --workers",
    ],
    [[], "missing required argument 'address'"],
  ])('%j is bad input: one line, status 2', async (args, said) => {
    expect(await runCli('worker', ...args)).toEqual({ status: 2, out: '', error: `worker: ${said}\n` })
  })

  it('says that nobody answers: one line, status 1, without the password', async () => {
    const { status, error } = await runCli('worker', 'postgres://me:secret@127.0.0.1:1/runs')
    expect(status).toBe(1)
    expect(error).toBe(
      'worker: cannot connect to postgres://me@127.0.0.1:1/runs [connect ECONNREFUSED 127.0.0.1:1]\n',
    )
  })
})
