import { oneOf, sectionState, text } from '../../shell/urlState.js'

/** What stands in the address: not the file, which stays with the reader. */
export const state = sectionState('results', {
  sample: oneOf(['none', 'drift', 'nan'] as const, 'none'),
  table: text('', 200),
  figure: text('', 300),
  words: text('', 300),
  x: text('', 200),
  y: text('', 200),
  by: text('', 200),
})
