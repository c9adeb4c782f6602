import { checkRecord } from '../options/index.js'
import type { Audit } from './auditConfig.js'
import { headOf } from './auditText.js'

/**
 * An audit as a page of HTML that needs nothing else.
 *
 * @example auditHtml(auditConfig({ dModel: 1024, nLayers: 24 })).startsWith('<!doctype html>') // true
 */
export function auditHtml(audit: Audit): string {
  checkRecord('auditHtml', 'audit', audit, ['config', 'findings', 'corrections', 'memory'])
  const [title = '', ...facts] = headOf(audit)
  const findings = audit.findings.map(
    ({ about, verdict, evidence, remedy }) =>
      `<tr class="${verdict}">${cells([about, verdict, evidence, remedy])}</tr>`,
  )
  const corrections = audit.corrections.map(({ published, here }) => `<tr>${cells([published, here])}</tr>`)
  const memory = Object.entries(audit.memory.perDevice).map(
    ([name, bytes]) => `<tr>${cells([name, (bytes / 2 ** 30).toFixed(3)])}</tr>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:.2rem .8rem .2rem 0;border-bottom:1px solid #ccc}.error td:nth-child(2){color:#b00020}.warning td:nth-child(2){color:#8a5a00}.ok td:nth-child(2){color:#1b6e2c}</style>
</head><body><h1>${escaped(title)}</h1>
${facts.map((fact) => `<p>${escaped(fact)}</p>`).join('\n')}
<h2>Findings</h2>
<table><tr><th>about</th><th>verdict</th><th>evidence</th><th>remedy</th></tr>
${findings.join('\n')}</table>
<h2>Memory on each device, GiB</h2>
<table>${memory.join('\n')}</table>
<h2>Where the Python toolkit's report differs</h2>
<table><tr><th>published</th><th>here</th></tr>
${corrections.join('\n')}</table>
<h2>Assumed</h2>
<ul>${audit.memory.assumptions.map((assumption) => `<li>${escaped(assumption)}</li>`).join('\n')}</ul>
</body></html>
`
}

const cells = (texts: readonly string[]): string => texts.map((text) => `<td>${escaped(text)}</td>`).join('')

const escaped = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;')
