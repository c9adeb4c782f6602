import { describe, expect, it } from 'vitest'
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

  it('has a section for every subcommand, in the order of --help', () =>
    expect([...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual(names))
  it('has an example of every subcommand, and none of another', () =>
    expect(new Set(examples.map(([name]) => name))).toEqual(new Set(names)))
  it.each(names)('%s: the options of its examples are those of its --help', async (name) => {
    const help = (await runCli(name, '--help')).out
    const given = examples.filter(([asked]) => asked === name).flat()
    for (const flag of given.filter((word) => /^--./.test(word))) expect(help).toContain(`  ${flag} `)
  })
  it('inspect 0.1 prints what the page shows', async () =>
    expect(page).toContain(`\`\`\`text\n${(await runCli('inspect', '0.1')).out}\`\`\``))
})
