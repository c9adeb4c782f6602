// Formulas of the guides, $...$ and $$...$$, as MathML when the site is built: a browser needs no script and no font for them.
import temml from 'temml'

const formula =
  /\$\$([^$\ufffc]+)\$\$|(?<![\\$\w])\$(?!\s)([^$\n\ufffc]+(?:\n[^$\n\ufffc]+)?)(?<!\s)\$(?![\w$])/g

/** The text of a guide with its formulas as MathML; a formula that cannot be read is an error. */
export function withFormulas(text) {
  return text.replace(formula, (_, shown, inline) => {
    const displayMode = shown !== undefined
    const math = temml
      .renderToString((shown ?? inline).trim(), { displayMode, throwOnError: true })
      // Between the tags the text is still Markdown.
      .replace(/>[^<]+</g, (words) => words.replace(/[*_`[\]\\~]/g, (char) => `&#${char.charCodeAt(0)};`))
      .replaceAll('\n', ' ')
    return displayMode ? `<div class="formula">${math}</div>` : math
  })
}
