import { checkText } from '../base/options/index.js'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Text made safe inside HTML and SVG, in content and in quoted attributes.
 *
 * @example escapeHtml('a < b & "c"') // 'a &lt; b &amp; &quot;c&quot;'
 */
export function escapeHtml(text: string): string {
  checkText('escapeHtml', 'text', text)
  return text.replace(/[&<>"']/g, (character) => entities[character]!)
}
