import { describe, expect, it } from 'vitest'
import { answerOf } from '../../lab/sections/program/answerOf.js'
import { checkImports, problemText } from '../../lab/sections/program/checkImports.js'
import { errorText } from '../../lab/sections/program/errorText.js'
import { importsOf } from '../../lab/sections/program/imports.js'
import { labExamples } from '../../scripts/labExamples.js'
import { labNames } from '../../scripts/labNames.js'
import { root } from '../support/project.js'

const modules = labNames(root)
const messages = (code: string): string[] => checkImports(code, modules).map(({ message }) => message)

describe('the names that the editor completes', () => {
  it('have all public names, nearly all of them with a sentence', () => {
    expect(modules[0]?.module).toBe('tpu-toolkit')
    const names = modules.flatMap((one) => one.names)
    expect(names.length).toBeGreaterThan(1500)
    expect(names.filter(({ about }) => about === '').length).toBeLessThan(60)
    const encode = modules
      .find(({ module }) => module === 'tpu-toolkit/formats')
      ?.names.find(({ name }) => name === 'nextUp')
    expect(encode?.about).toBe(
      'The least value of the format above a number, which need not be one of its values.',
    )
    expect(modules[0]?.namespaces).toContain('random')
    expect(modules[0]?.names.map(({ name }) => name)).toContain('tensor')
  })
})

describe('the imports of a program', () => {
  it('are found with their places', () => {
    const code = [
      'import { add, type Tensor as T,',
      "  sum } from 'tpu-toolkit/tensor'",
      "import * as nn from 'tpu-toolkit/nn'",
      "import 'node:fs'",
      "export const from = 'here'",
    ].join('\n')
    const found = importsOf(code)
    expect(found.map(({ module }) => module.text)).toEqual([
      'tpu-toolkit/tensor',
      'tpu-toolkit/nn',
      'node:fs',
    ])
    expect(found[0]?.named.map(({ name, local }) => [name.text, local])).toEqual([
      ['add', 'add'],
      ['Tensor', 'T'],
      ['sum', 'sum'],
    ])
    expect(found[1]?.namespace).toBe('nn')
    for (const { module, named } of found) {
      for (const { from, text } of [module, ...named.map(({ name }) => name)]) {
        expect(code.slice(from, from + text.length)).toBe(text)
      }
    }
  })

  it('are right in every program of the guides', () => {
    const programs = labExamples(root)
    expect(programs.length).toBeGreaterThan(40)
    expect(
      programs.flatMap(({ name, code }) => messages(code).map((message) => `${name}: ${message}`)),
    ).toEqual([])
  })

  it.each([
    ["import { tensr } from 'tpu-toolkit'", 'tpu-toolkit has no tensr, did you mean tensor?'],
    [
      "import { uniform } from 'tpu-toolkit/tensor'",
      'tpu-toolkit/tensor has no uniform, which is in tpu-toolkit/random',
    ],
    [
      "import { add } from 'tpu-toolkit/tensors'",
      'there is no module tpu-toolkit/tensors, did you mean tpu-toolkit/tensor?',
    ],
    [
      "import { saveSafetensors } from 'tpu-toolkit/files'",
      'a page has no such module, it needs Node or another package [tpu-toolkit/files]',
    ],
    [
      "import { readFileSync } from 'node:fs'",
      'a page has no such module, it needs Node or another package [node:fs]',
    ],
  ])('%s is refused', (code, message) => {
    expect(messages(code)).toEqual([message])
  })

  it('are underlined where they are wrong', () => {
    const code = "// First.\nimport { add, tensr } from 'tpu-toolkit'\n"
    expect(problemText(code, checkImports(code, modules)[0]!)).toBe(
      [
        'program.ts:2:15: tpu-toolkit has no tensr, did you mean tensor?',
        "2 | import { add, tensr } from 'tpu-toolkit'",
        '  |               ^^^^^',
      ].join('\n'),
    )
  })
})

describe('an error', () => {
  it('is shown in the lines of the program, with those that called it', () => {
    const error = new RangeError('no')
    error.stack =
      'RangeError: no\n    at f (program.ts:2:9)\n    at f (program.ts:2:3)\n    at <anonymous> (program.ts:4:1)'
    expect(errorText(error, 'const f = () => {\n  fail()\n}\nf()')).toEqual({
      text: 'program.ts:2: RangeError: no\n2 |   fail()\ncalled from line 4 | f()',
      line: 2,
    })
    const syntax = new SyntaxError('Error transforming program.ts: Unexpected token (1:7)')
    expect(errorText(syntax, 'const = 3').line).toBe(1)
    const without = new Error('no place')
    without.stack = ''
    expect(errorText(without, 'f()')).toEqual({ text: 'Error: no place' })
  })
})

describe('the answer of the doctor', () => {
  const diagnosis = {
    report: 'verdict: the result keeps 2.5 of 8 bits in its worst element; 100 % of the error is sum',
    lines: [{ line: 6, share: 0.998, text: 'sum: without its rounding 4.7 bits more' }],
    certified: [{ output: '0', bound: 0.0018, open: 0 }],
    rewrites:
      "what to write instead: right bits\n  2.9 -> 8.0 (2.5 -> 8.0)  softmax(x, { internal: 'float32' })\n      for softmax",
    tuned: 'Keep wide: sum#0.\nmore',
  }

  it('is in sentences', () => {
    expect(answerOf(diagnosis)).toEqual([
      'The result keeps 2.5 of 8 bits in its worst element.',
      'Line 6 makes 100 % of the error, in sum; unrounded it would gain 4.7 bits.',
      "Written as softmax(x, { internal: 'float32' }), it has 8.0 right bits in the mean instead of 2.9.",
      'To meet the target, keep wide: sum#0.',
      'It is certain that no output is off by more than 0.00180.',
    ])
  })

  it('says where no bound is certain, and nothing of what was not found', () => {
    const open = { ...diagnosis, certified: [{ output: '0', bound: Infinity, open: 2 }] }
    expect(answerOf(open).at(-1)).toBe('No bound is certain: 2 decisions may go either way.')
    const little = {
      report: '',
      lines: [],
      certified: [],
      rewrites: 'nothing to write otherwise',
      tuned: null,
    }
    expect(answerOf(little)).toEqual([])
  })
})
