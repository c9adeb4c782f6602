// The search of the site: pagefind over every word of the guides and of the names' pages, in place of typedoc's, which knows
// names only. Pages opened from the disk keep typedoc's: browsers load no index from there.

const base = new URL(document.documentElement.dataset.base || './', location.href)
const button = document.querySelector('#tsd-search-trigger')

if (button && location.protocol !== 'file:') {
  const dialog = document.createElement('dialog')
  dialog.id = 'site-search'
  dialog.setAttribute('aria-label', 'Search')
  dialog.innerHTML = `<input type="search" aria-label="Search all pages" placeholder="words, names, “exact phrases”" autocomplete="off">
    <p role="status"></p><ol></ol>`
  document.body.append(dialog)
  const [input, status, list] = ['input', 'p', 'ol'].map((name) => dialog.querySelector(name))
  let index
  let latest = 0

  const load = async () => {
    const pagefind = await import(new URL('pagefind/pagefind.js', base).href)
    // Guides are long: how often a word stands there is to count for more than its share of the page.
    await pagefind.options({ ranking: { pageLength: 0.2, termSaturation: 1.2, termFrequency: 0.6 } })
    return pagefind
  }

  const open = () => {
    index ??= load()
    if (!dialog.open) dialog.showModal()
    input.select()
  }

  /** The page, or the section of it in which most was found. */
  const entry = ({ meta, url, excerpt, sub_results: parts, filters }) => {
    const best = parts.reduce((most, part) => (part.locations.length > most.locations.length ? part : most), {
      url,
      excerpt,
      title: meta.title,
      locations: [],
    })
    const item = document.createElement('li')
    const link = document.createElement('a')
    link.href = best.url
    link.textContent = best.title === meta.title ? meta.title : `${meta.title}: ${best.title}`
    const text = document.createElement('p')
    text.innerHTML = best.excerpt
    const kind = document.createElement('span')
    kind.textContent = filters.kind?.[0] ?? ''
    item.append(link, kind, text)
    return item
  }

  const search = async () => {
    const words = input.value.trim()
    const mine = ++latest
    if (words === '') {
      list.replaceChildren()
      status.textContent = ''
      return
    }
    const { search: find } = await index
    const { results } = await find(words)
    const shown = await Promise.all(results.slice(0, 12).map((result) => result.data()))
    if (mine !== latest) return
    list.replaceChildren(...shown.map(entry))
    status.textContent = results.length === 0 ? 'Nothing has these words.' : `${results.length} pages`
  }

  input.addEventListener('input', search)
  dialog.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')]
    const at = links.indexOf(document.activeElement)
    if (event.key === 'Enter' && at < 0) links[0]?.click()
    const to = event.key === 'ArrowDown' ? at + 1 : event.key === 'ArrowUp' ? at - 1 : undefined
    if (to === undefined) return
    event.preventDefault()
    if (to < 0) input.focus()
    else links[to]?.focus()
  })
  // Beside the dialog is its backdrop.
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog || event.target.closest('a')) dialog.close()
  })
  // Before typedoc's own listeners.
  button.addEventListener(
    'click',
    (event) => {
      event.stopImmediatePropagation()
      open()
    },
    true,
  )
  document.addEventListener(
    'keydown',
    (event) => {
      const typing = event.target.closest('input, textarea, [contenteditable]')
      const wanted = (event.key === '/' && !typing) || (event.key === 'k' && (event.ctrlKey || event.metaKey))
      if (!wanted) return
      event.preventDefault()
      event.stopImmediatePropagation()
      open()
    },
    true,
  )
}
