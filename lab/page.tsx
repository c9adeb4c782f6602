import { render } from 'preact'
import { onlyFigure } from './parts/embedding.js'
import { Shell } from './shell/shell.js'

const root = document.getElementById('lab')
if (root) {
  root.textContent = ''
  render(<Shell />, root)
}

// Paper is light: what was drawn for a dark screen is drawn again.
addEventListener('beforeprint', () => {
  document.documentElement.classList.add('printing')
  dispatchEvent(new Event('repaint'))
})
addEventListener('afterprint', () => {
  document.documentElement.classList.remove('printing')
  dispatchEvent(new Event('repaint'))
})

// Where the server is gone, the page that was seen is still there.
if ('serviceWorker' in navigator && onlyFigure === undefined)
  navigator.serviceWorker.register('offline.js').catch(() => undefined)
