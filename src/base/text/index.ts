// Numbers and names as a person reads them: in findings, tables, captions and messages. Runs anywhere.
export { bytesText, percentText, secondsText } from './quantity.js'
export { readable } from './readable.js'
export { sparkline } from './sparkline.js'
export { terminalText } from './terminalText.js'
export { wrapped } from './wrapped.js'
