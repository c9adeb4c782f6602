import { runTpuToolkit } from '../src/cli/program.js'

/** What a command says of itself in its help. */
interface Help {
  readonly name: string
  readonly about: string
  /** The lines under `Example:` or `Examples:`. */
  readonly examples: readonly string[]
}

/**
 * docs/command.md with a section for every command, in the order of the help. A section's examples are those of the
 * command's own help. A command without a section gets one, with what its help says; the words of a section that is there
 * stay, and the section of a command that is gone goes.
 */
export async function commandPage(page: string): Promise<string> {
  const [head = '', ...sections] = page.split(/^(?=## )/m)
  const helps = await Promise.all((await commandNames()).map(helpOf))
  const written = helps.map((help) => {
    const block = `\`\`\`sh\n${help.examples.join('\n')}\n\`\`\``
    const old = sections.find((section) => section.startsWith(`## ${help.name}\n`))
    const own = old ?? `## ${help.name}\n\n${help.about}\n\n\`\`\`sh\n\`\`\``
    return own.trimEnd().replace(/^```sh\n[\s\S]*?^```/m, () => block)
  })
  return `${[head.trimEnd(), ...written].join('\n\n')}\n`
}

async function commandNames(): Promise<string[]> {
  return [...(await told('--help')).matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!)
}

async function helpOf(name: string): Promise<Help> {
  const paragraphs = (await told(name, '--help')).trimEnd().split('\n\n')
  const examples = paragraphs
    .flatMap((paragraph) => paragraph.split(/^Examples?:\n/m).slice(1))
    .flatMap((lines) => lines.split('\n').map((line) => line.trim()))
  if (examples.length === 0) throw new Error(`commandPage: the help shows no example [${name}]`)
  return { name, about: paragraphs[1]!.replaceAll('\n', ' '), examples }
}

async function told(...args: readonly string[]): Promise<string> {
  let out = ''
  await runTpuToolkit(args, {
    out: (text) => {
      out += text
    },
    error: () => {},
  })
  return out
}
