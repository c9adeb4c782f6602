import type { Exhibit } from './exhibit.js'

/** The page docs/failures.md: every failure with its story, its source, its verdict as computed now, and its repairs. */
export function galleryMarkdown(exhibits: readonly Exhibit[]): string {
  const contents = exhibits.map(({ failure }) => `- [${failure.title}](#${failure.id})`)
  return `${[head, contents.join('\n'), ...exhibits.map(section)].join('\n\n')}\n`
}

const head = `# Failures

After this page you know how low precision fails in practice, with a cited source for every case, and how to repair it. Each
failure is a small module of \`tpu-toolkit/failures\` that runs the naive and the stable form and computes its verdict from the
results. \`npm run gallery\` runs them all, with every repair, and draws them.

\`\`\`ts
import { failures } from 'tpu-toolkit'

const { naive, stable, verdict } = failures.onesStall.run()
console.log(naive.sum, stable.sum, verdict.holds) // 256 1024 true
console.log(verdict.text)
// After 256 ones the sum is 256 and never changes again; 1,024 ones make 1,024.

const repaired = failures.onesStall.run({ order: 'pairwise' })
console.log(repaired.verdict.holds) // false
\`\`\``

function section({ failure, run, repaired }: Exhibit): string {
  return [
    // An anchor of its own: renderers of Markdown do not agree on those of headings with signs in them.
    `<a id="${failure.id}"></a>\n\n## ${failure.title}`,
    `\`${failure.id}\`. ${failure.story}`,
    `**Verdict.** ${run.verdict.text}`,
    `**Source.** <${failure.source}>. ${failure.reported}`,
    `**Repaired by** ${repaired.map(({ change }) => change).join('; ')}.`,
  ].join('\n\n')
}
