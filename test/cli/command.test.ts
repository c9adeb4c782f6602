import { describe, expect, it } from 'vitest'
import { commandPage } from '../../scripts/commandPage.js'
import { readText } from '../support/project.js'
import { runCli } from '../support/runCli.js'

const page = readText('docs/command.md')
/** The commands of the page's blocks of shell lines. */
const examples = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block]) =>
  [...block!.matchAll(/\btpu-toolkit ([^\n>)]*)/g)].map(([, words]) => words!.trim().split(/ +/)),
)

describe('docs/command.md', async () => {
  const { out } = await runCli('--help')
  const names = [...out.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!)

  it('is what npm run doors writes: sections in the order of --help, examples of the help', async () =>
    expect(page).toBe(await commandPage(page)))
  it('gets a section for a command that has none, and loses that of a command that is gone', async () => {
    const [before, after] = page.split(/^## env$[\s\S]*?^(?=## )/m)
    const written = await commandPage(`${before}## gone\n\nWords.\n\n${after}`)
    expect(written).not.toContain('## gone')
    expect(written).toContain('## env\n\nLists the available optional parts')
    expect(written).toContain(
      `\`\`\`sh\nTPU_TOOLKIT_PYTHON=.venv/bin/python tpu-toolkit env\n\`\`\`\n\n## ${names[names.indexOf('env') + 1]}`,
    )
  })
  it('has an example of every subcommand, and none of another', () =>
    expect(new Set(examples.map(([name]) => name))).toEqual(new Set(names)))
  it.each(names)('%s: the options of its examples are those of its --help', async (name) => {
    const help = (await runCli(name, '--help')).out
    const given = examples.filter(([asked]) => asked === name).flat()
    const flags = given.filter((word) => /^--./.test(word))
    // A parameter of the module that the examples of sweep name.
    const ofModule = name === 'sweep' ? ['--width'] : []
    for (const flag of flags.filter((word) => !ofModule.includes(word))) expect(help).toContain(`  ${flag} `)
  })
  it('inspect 0.1 prints what the page shows', async () =>
    expect(page).toContain(`\`\`\`text\n${(await runCli('inspect', '0.1')).out}\`\`\``))
})
