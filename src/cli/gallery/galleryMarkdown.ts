import type { Exhibit } from './exhibit.js'

/** The page docs/failures.md: every failure with its story, its source, and the verdicts as they are computed now. */
export function galleryMarkdown(exhibits: readonly Exhibit[]): string {
  const contents = exhibits.map(({ failure }) => `- [${failure.title}](#${failure.id})`)
  return `${[head, contents.join('\n'), ...exhibits.map(section)].join('\n\n')}\n`
}

const head = `# Failures

What goes wrong in low precision, as people met it: each failure is one small module of \`tpu-toolkit/failures\` that runs
the naive way and the stable way and computes its verdict from the numbers. \`npm run gallery\` runs them all and draws
them; this page is what \`npm run gallery -- --docs\` prints, and a test holds it to what the runs give now.

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
    '| without the defect | verdict |\n|---|---|\n' +
      repaired.map(({ change, run }) => `| ${cell(change)} | ${cell(run.verdict.text)} |`).join('\n'),
  ].join('\n\n')
}

/** Text in a cell of a table, where a bar would end it. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
