import { readable } from '../../base/text/index.js'
import type { Audit } from '../../planning/mxu/index.js'
import { htmlPage, htmlTable } from '../../report/index.js'

/** An audit as a page: what was found of each thing, the memory, what the published report has wrong, what is assumed. */
export function auditPage(audit: Audit): string {
  const { config, memory, alignment, findings, corrections } = audit
  const wrong = findings.filter(({ verdict }) => verdict !== 'ok')
  const bytes = Object.entries(memory.perDevice).map(([what, value]) => ({ what, gib: value / 2 ** 30 }))
  return htmlPage({
    title: `Audit: d_model ${config.dModel}, ${config.nLayers} layers on ${config.slice}`,
    lead: 'A Mamba-like configuration held against the hardware, as the Python toolkit does, with what that has wrong.',
    facts: {
      heads: `${config.nHeads} of ${alignment.headDim}`,
      chips: readable(memory.slice.chips),
      'parameters as Mamba-2': readable(audit.parameters),
      "by the Python toolkit's formula": readable(audit.estimatedParameters),
      'tokens, 20 a parameter': readable(audit.chinchillaTokens),
    },
    sections: [
      {
        id: 'findings',
        title: 'Findings',
        finding:
          wrong.length === 0
            ? 'Nothing is wrong with it.'
            : `Not as it could be: ${wrong.map(({ about }) => about).join(', ')}.`,
        html: htmlTable(
          [
            { key: 'about' },
            { key: 'verdict' },
            { key: 'evidence', prose: true },
            ...(wrong.length === 0 ? [] : [{ key: 'remedy', prose: true }]),
          ],
          findings,
        ),
      },
      {
        id: 'memory',
        title: 'Memory on each device',
        html: htmlTable([{ key: 'what' }, { key: 'gib', header: 'GiB' }], bytes),
      },
      {
        id: 'differs',
        title: "Where the Python toolkit's report differs",
        html: htmlTable(
          ['published', 'here'].map((key) => ({ key, prose: true })),
          corrections,
        ),
      },
      { id: 'assumed', title: 'Assumed', paragraphs: memory.assumptions },
    ],
    foot: 'Written by tpu-toolkit audit.',
  })
}
