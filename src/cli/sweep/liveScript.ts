/**
 * What runs on the page of a sweep under way: it hears the events, keeps the rows, and draws at most four times a second. Texts
 * are set as text, never as HTML.
 */
export const liveScript: string = `(() => {
  const { metric: asked, goal } = JSON.parse(document.getElementById('settings').textContent)
  const at = (id) => document.getElementById(id)
  const rows = [], running = new Map()
  let metric = asked, progress = { done: 0, total: 0 }, state = 'connecting', due = false
  const number = (x, digits) => {
    const short = Number(x.toPrecision(digits)), size = Math.abs(short)
    return size !== 0 && (size < 1e-3 || size >= 1e7) ? String(short.toExponential()).replace('e+', 'e') : String(short)
  }
  const shown = (x) => typeof x === 'number' ? number(x, 6) : x === null || x === undefined ? '-' : String(x)
  const idOf = (one) => JSON.stringify([one.params, one.steps])
  const better = (a, b) => goal === 'min' ? a < b : a > b
  const value = (one) => typeof one.row[metric] === 'number' ? one.row[metric] : null
  const draw = () => {
    if (due) return
    due = true
    setTimeout(() => { due = false; drawAll() }, rows.length < 3 ? 0 : 250)
  }
  const words = () => {
    const { done, total } = progress
    let best = null
    for (const one of rows) { const v = value(one); if (v !== null && (best === null || better(v, value(best)))) best = one }
    const found = best && asked ? '; ' + (goal === 'min' ? 'least ' : 'greatest ') + metric + ' ' + shown(value(best)) + ' at ' + Object.entries(best.params).filter(([name]) => varied().includes(name)).map(([name, v]) => name + ' ' + shown(v)).join(', ') : ''
    const how = state === 'ended' ? (done >= total ? 'Done: ' : 'Ended: ') : state === 'lost' ? 'The connection is lost, trying again: ' : ''
    return how + done + ' of ' + total + ' runs' + found
  }
  const varied = () => {
    const names = [...new Set(rows.flatMap((one) => Object.keys(one.params)))]
    const several = names.filter((name) => new Set(rows.map((one) => one.params[name])).size > 1)
    return several.length > 0 ? several : names
  }
  const line = (cells, kind) => {
    const tr = document.createElement('tr')
    for (const text of cells) { const cell = document.createElement(kind); cell.textContent = text; tr.append(cell) }
    return tr
  }
  const fill = (id, heads, lines) => {
    const sides = heads.map((_, i) => lines.some((cells) => /^-?\\d/.test(cells[i])) ? 'number' : '')
    at(id + '-head').replaceChildren(...(lines.length > 0 ? [line(heads, 'th')] : []))
    at(id).replaceChildren(...lines.map((cells) => line(cells, 'td')))
    for (const tr of [...at(id + '-head').children, ...at(id).children]) [...tr.children].forEach((cell, i) => { cell.className = sides[i] })
  }
  const drawAll = () => {
    at('state').textContent = words()
    at('bar').value = progress.total > 0 ? progress.done / progress.total : 0
    const names = varied(), staged = rows.some((one) => one.steps !== null)
    const fields = [...new Set(rows.slice(-100).flatMap((one) => Object.keys(one.row).filter((name) => typeof one.row[name] !== 'object' || one.row[name] === null)))]
    fields.sort((a, b) => (b === metric) - (a === metric))
    const last = rows.slice(-200).map((one, i) => [Math.max(0, rows.length - 200) + i + 1, ...names.map((name) => shown(one.params[name])), ...(staged ? [shown(one.steps)] : []), ...fields.map((name) => shown(one.row[name]))]).reverse()
    fill('done', ['run', ...names, ...(staged ? ['to step'] : []), ...fields], last)
    const now = [...running.values()]
    const metrics = [...new Set(now.flatMap((one) => Object.keys(one.metrics)))]
    const own = [...new Set(now.flatMap((one) => Object.keys(one.params)))].filter((name) => rows.length < 2 || names.includes(name))
    fill('running', [...own, 'step', ...metrics], now.map((one) => [...own.map((name) => shown(one.params[name])), shown(one.step), ...metrics.map((name) => shown(one.metrics[name]))]))
    at('none').hidden = now.length > 0
    chart()
  }
  const svg = (name, attributes, text) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name)
    for (const [key, v] of Object.entries(attributes)) made.setAttribute(key, v)
    if (text !== undefined) made.textContent = text
    return made
  }
  const chart = () => {
    const values = rows.map(value), finite = values.filter((v) => v !== null)
    at('crosses').hidden = true
    if (finite.length < 2) return at('chart').replaceChildren()
    const width = Math.max(280, at('chart').clientWidth), height = 240, left = 64, right = 12, top = 40, bottom = 34
    // A run that got away takes no room from the others: it is a cross where it lies twenty times as far off as five sixths do.
    const sorted = [...finite].sort((a, b) => better(a, b) ? -1 : 1), reach = Math.abs(sorted[Math.floor(5 * (sorted.length - 1) / 6)] - sorted[0])
    const ends = [sorted[0], asked ? sorted.findLast((v) => Math.abs(v - sorted[0]) <= 20 * reach) : sorted.at(-1)], least = Math.min(...ends), most = Math.max(...ends)
    const log = least > 0 && most / least > 50
    const scale = (v) => log ? Math.log(v) : v
    const span = scale(most) - scale(least) || 1
    const x = (i) => left + (width - left - right) * (rows.length > 1 ? i / (rows.length - 1) : 0.5)
    const y = (v) => top + (height - top - bottom) * (1 - (scale(v) - scale(least)) / span)
    const picture = svg('svg', { viewBox: '0 0 ' + width + ' ' + height, role: 'img', 'aria-label': metric + ' of every run in the order of arrival, and the best so far' })
    picture.append(svg('text', { x: 4, y: 14, 'font-weight': 600 }, metric + (log ? ' (logarithmic)' : '')), svg('text', { x: width - right, y: height - 4, 'text-anchor': 'end', 'font-weight': 600 }, 'run'))
    for (let k = 0; k <= 4; k++) {
      const v = log ? Math.exp(scale(least) + span * k / 4) : least + span * k / 4
      picture.append(svg('line', { x1: left, x2: width - right, y1: y(v), y2: y(v), stroke: 'currentColor', 'stroke-opacity': 0.14 }), svg('text', { x: left - 8, y: y(v) + 4, 'text-anchor': 'end' }, number(v, 3)))
    }
    for (const i of [...new Set([0, Math.floor((rows.length - 1) / 2), rows.length - 1])]) picture.append(svg('text', { x: x(i), y: height - 18, 'text-anchor': i === 0 ? 'start' : i === rows.length - 1 ? 'end' : 'middle' }, String(i + 1)))
    const off = (v) => v === null || v < least || v > most
    let best = null, path = ''
    rows.forEach((one, i) => {
      const v = values[i]
      if (off(v)) return
      if (asked && (best === null || better(v, best))) { path += (best === null ? 'M' + x(i) : 'H' + x(i)) + (best === null ? ' ' + y(v) : 'V' + y(v)); best = v }
      const dot = svg('circle', { cx: x(i), cy: y(v), r: rows.length > 300 ? 1.6 : 2.6, fill: 'var(--series-blue)', 'fill-opacity': 0.6 })
      dot.append(svg('title', {}, Object.entries(one.params).map(([name, p]) => name + ' ' + shown(p)).join(', ') + ': ' + shown(v)))
      picture.append(dot)
    })
    if (path !== '') picture.append(svg('path', { d: path + 'H' + (width - right), fill: 'none', stroke: 'var(--series-red)', 'stroke-width': 1.75 }))
    values.forEach((v, i) => { if (off(v)) picture.append(svg('path', { d: 'M' + (x(i) - 3) + ' ' + (top - 11) + 'l6 6m0-6l-6 6', stroke: 'var(--series-orange)', 'stroke-width': 1.5 })) })
    at('crosses').hidden = !values.some(off)
    at('chart').replaceChildren(picture)
  }
  const events = new EventSource('/events')
  const hear = (name, then) => events.addEventListener(name, (event) => { if (event.data !== undefined) { then(JSON.parse(event.data), event); draw() } })
  hear('row', (one, event) => {
    // Of a connection begun again, what is here already is passed over.
    if (Number(event.lastEventId) <= rows.length) return
    rows.push(one)
    running.delete(idOf(one))
    metric ??= Object.keys(one.row).find((name) => typeof one.row[name] === 'number') ?? null
  })
  hear('progress', (next) => { progress = next; state = 'live' })
  hear('report', (one) => { running.set(idOf(one), one) })
  hear('end', () => { state = 'ended'; running.clear(); events.close() })
  events.onerror = () => { if (state !== 'ended') { state = 'lost'; draw() } }
  addEventListener('resize', draw)
})()`
