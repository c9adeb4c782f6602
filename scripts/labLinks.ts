import { deflateRawSync } from 'node:zlib'
import type { LabExample } from './labExamples.js'

/** The address that opens a program in the lab's editor, after that of the lab: as the page itself packs what is typed. */
export function editorHash(code: string): string {
  return `#editor&program=${deflateRawSync(code).toString('base64url')}`
}

/**
 * A page of the guides with a link below every program that the lab runs, to the lab at `lab`, which opens it in its editor; and the
 * programs that it has.
 */
export function withLabLinks(
  html: string,
  lab: string,
  examples: readonly LabExample[],
): { readonly html: string; readonly linked: readonly LabExample[] } {
  const linked: LabExample[] = []
  const text = html.replace(
    /<pre><code class="ts">([\s\S]*?)<\/code>[\s\S]*?<\/pre>/g,
    (block, code: string) => {
      const example = examples.find((one) => one.code.trim() === textOf(code))
      if (!example) return block
      linked.push(example)
      return `${block}<p class="open-in-lab"><a href="${lab}${editorHash(example.code)}">Open in the lab</a></p>`
    },
  )
  return { html: text, linked }
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

/** The program in a highlighted block, as it was written. */
function textOf(code: string): string {
  return code
    .replaceAll(/<br\s*\/?>/g, '\n')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('\u00a0', ' ')
    .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity)
    .trim()
}
