import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeSafetensors } from 'tpu-toolkit/files'
import { ones } from 'tpu-toolkit/tensor'
import { afterAll, describe, expect, it } from 'vitest'
import { root } from '../support/project.js'
import { runCli } from '../support/runCli.js'

const folder = mkdtempSync(join(tmpdir(), 'out-'))
afterAll(() => rmSync(folder, { recursive: true }))

const model = join(folder, 'model.safetensors')
writeSafetensors(model, { w: ones([32, 32]) })
const inTheWay = join(folder, 'file')
writeFileSync(inTheWay, 'mine')

/** Each command that writes where --out says, with what else it needs. */
const commands: Readonly<Record<string, readonly string[]>> = {
  drift: [],
  kernels: [],
  nan: [],
  sweep: ['--lr', '0.1'],
  rl: [],
  gallery: [],
  doctor: ['softmax'],
  formats: ['--measure'],
  quantize: [model],
  vq: [model],
  schedule: [],
  chips: [],
  plan: ['llama2-7b', '--slice', 'v5e-8'],
  roofline: ['gpt2', '--chip', 'v6e'],
  flags: ['v5e'],
  audit: ['M'],
}

describe('--out, in every command that has it', () => {
  it('is known here', () => {
    const page = readFileSync(`${root}docs/command.md`, 'utf8')
    const having = page
      .split(/^## /m)
      .filter((part) => /--out </.test(part))
      .map((part) => part.split(/\s/)[0]!)
    for (const name of having) expect(Object.keys(commands), name).toContain(name)
  })

  it.each(Object.entries(commands))(
    '%s refuses a place below a file before it does anything, in one line, and leaves all as it was',
    async (name, needed) => {
      const before = readdirSync(folder)
      const { status, out, error } = await runCli(name, ...needed, '--out', join(inTheWay, 'below'))
      expect([status, out]).toEqual([1, ''])
      expect(error).toMatch(new RegExp(`^${name}: cannot write .*\\[E(EXIST|NOTDIR).*\\n$`))
      expect(readdirSync(folder)).toEqual(before)
      expect(readFileSync(inTheWay, 'utf8')).toBe('mine')
    },
  )
})
