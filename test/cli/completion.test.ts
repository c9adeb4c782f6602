import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { completionScript } from '../../src/cli/completion/completionScript.js'
import { runCli } from '../support/runCli.js'

const script = async (shell: string): Promise<string> => {
  const { status, out, error } = await runCli('completion', shell)
  expect({ status, error }).toEqual({ status: 0, error: '' })
  return out
}
/** The subcommands that the program's help lists. */
const listed = async (): Promise<string[]> => {
  const { out } = await runCli('--help')
  return [...out.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!)
}

describe('completion bash', async () => {
  const bash = await script('bash')
  const names = await listed()

  /** What bash offers for the last of these words, by running the script in it. */
  const offered = (...words: string[]): string[] => {
    const typed = words.map((word) => `'${word}'`).join(' ')
    const ask = `${bash}\nCOMP_WORDS=(${typed}); COMP_CWORD=${words.length - 1}; _tpu_toolkit; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', ask], { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return stdout.split('\n').filter((line) => line !== '')
  }

  it('offers every subcommand that --help lists, those that begin as the word does', () => {
    expect(names).toEqual(expect.arrayContaining(['nan', 'quantize', 'completion']))
    expect(offered('tpu-toolkit', '')).toEqual([...names, '--help', '--version'])
    expect(offered('tpu-toolkit', 'q')).toEqual(['quantize'])
    expect(offered('tpu-toolkit', '--v')).toEqual(['--version'])
  })
  it('offers the options of the subcommand, all that its --help lists', async () => {
    for (const name of names) {
      const { out } = await runCli(name, '--help')
      const flags = [...out.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag)
      expect(offered('tpu-toolkit', name, '--'), name).toEqual(flags)
    }
    expect(offered('tpu-toolkit', 'quantize', 'a.safetensors', '--fo')).toEqual(['--format'])
  })
  it('leaves files, and values of options, to the shell', () => {
    expect(bash).toMatch(/^complete -o bashdefault -o default -F _tpu_toolkit tpu-toolkit$/m)
    expect(offered('tpu-toolkit', 'quantize', 'a')).toEqual([])
    expect(offered('tpu-toolkit', 'quantize', '--out', '-')).toEqual([])
    expect(offered('tpu-toolkit', 'quantize', '--json', '-')).not.toEqual([])
    expect(offered('tpu-toolkit', 'no-such', '-')).toEqual([])
  })
})

describe('completion zsh and fish', () => {
  it('have a line for every subcommand and option', async () => {
    const [zsh, fish] = [await script('zsh'), await script('fish')]
    expect(zsh).toMatch(/^#compdef tpu-toolkit\n/)
    for (const name of await listed()) {
      expect(zsh).toContain(`    '${name}:`)
      expect(fish).toMatch(
        new RegExp(`^complete -c tpu-toolkit -n __fish_use_subcommand -f -a ${name} -d '`, 'm'),
      )
    }
    expect(zsh).toMatch(/^ {4}quantize\) _arguments '--format\[.*'--json\[print one JSON/m)
    expect(fish).toMatch(/'__fish_seen_subcommand_from quantize' -l out -r -d 'write an HTML page'$/m)
    expect(fish).toMatch(/'__fish_seen_subcommand_from quantize' -l json -d /m)
  })
  it('write out what the shells would take as their own', () => {
    const hard = [
      {
        name: 'a',
        description: "it's: a \\",
        options: [{ flag: '--b', description: "XLA's [x]: y", takesValue: false }],
      },
    ]
    expect(completionScript.zsh('p', hard)).toContain("    'a:it'\\''s\\: a \\'\n")
    expect(completionScript.zsh('p', hard)).toContain("'--b[XLA'\\''s \\[x\\]\\: y]'")
    expect(completionScript.fish('p', hard)).toContain("-a a -d 'it\\'s: a \\\\'\n")
  })
})

describe('completion, --version', () => {
  it.each([
    [['csh'], 'completion: unknown shell [csh], did you mean zsh, there are bash, zsh, fish\n'],
    [[], "completion: missing required argument 'shell'\n"],
  ])('completion %j exits 2 with one line', async (args, error) =>
    expect(await runCli('completion', ...args)).toEqual({ status: 2, out: '', error }),
  )

  it('--version prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(await runCli('--version')).toEqual({ status: 0, out: `${version}\n`, error: '' })
  })
})
