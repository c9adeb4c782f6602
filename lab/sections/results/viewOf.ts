import type { SeriesColor } from '../../parts/drawChart.js'
import { type Json, kindOf, type ReportKind } from './kinds.js'
import type { View, ViewFigure, ViewTable } from './resultsMessages.js'
import { cellOf, isRecord, tableOf } from './tableOf.js'

const longText = 160
const mostTables = 24

/** A text of results as it is shown: JSON, or lines of JSON. What is no report of the commands is said to be none. */
export function viewOf(text: string): View {
  const json = parsed(text)
  const kind = kindOf(json)
  if (!kind) {
    const names = Object.keys(json).slice(0, 8)
    throw new RangeError(
      `none of the reports that the commands write; it has the fields ${names.join(', ') || 'of none'} [${Object.keys(json).length} fields]`,
    )
  }
  return kind.kind === 'trace' ? traceView(json, kind) : recordView(json, kind)
}

/** JSON, or JSON lines: rows of a sweep, samples of a run. */
function parsed(text: string): Json {
  try {
    const json: unknown = JSON.parse(text)
    if (Array.isArray(json) && json.every(isRecord)) return { traceEvents: json }
    if (isRecord(json)) return json
    throw new RangeError(`not an object of JSON [${text.slice(0, 40)}]`)
  } catch (thrown) {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    if (!(thrown instanceof SyntaxError) || lines.length < 2) throw thrown
    return fromLines(lines, thrown)
  }
}

function fromLines(lines: readonly string[], whole: SyntaxError): Json {
  const records = lines.map((line, i) => {
    let record: unknown
    try {
      record = JSON.parse(line)
    } catch (thrown) {
      // A first line that is no JSON by itself: it was one JSON of many lines, and that is what is broken.
      throw i === 0
        ? whole
        : new RangeError(`line ${i + 1} is no JSON: ${thrown instanceof Error ? thrown.message : ''}`)
    }
    if (!isRecord(record)) throw new RangeError(`line ${i + 1} is no record [${lines[i]!.slice(0, 40)}]`)
    return record
  })
  const [first = {}, ...rest] = records
  if (typeof first['file'] === 'string' && 'version' in first) return { ...first, rows: rest }
  return 'values' in first && 'step' in first ? { samples: records } : { rows: records }
}

/** Any record: what is single as facts, lists of records as tables, lists of numbers and described figures as charts. */
function recordView(json: Json, { kind, about, plots }: ReportKind): View {
  const facts: [string, string][] = []
  const texts: { title: string; text: string }[] = []
  const tables: ViewTable[] = []
  const figures: ViewFigure[] = []
  const visit = (path: string, value: unknown, depth: number): void => {
    if (Array.isArray(value)) {
      const records = value.filter(isRecord)
      if (records.length > 0 && records.length === value.length) {
        if (tables.length < mostTables) {
          const table = tableOf(path, records)
          const plot = plots?.[path]
          tables.push({ ...table, ...(plot ? { plot } : {}), ...wordsFor(kind, path, table) })
        }
        for (const record of records) if (isFigure(record['figure'])) figures.push(figureOf(record['figure']))
      } else if (value.length > 8 && value.every((one) => typeof one === 'number' || one === null)) {
        figures.push(lineOf(path, value, json))
      } else if (value.length > 0) {
        facts.push([path, String(cellOf(value))])
      }
    } else if (isRecord(value) && depth < 4) {
      for (const [name, inner] of Object.entries(value)) {
        visit(path === '' ? name : `${path}.${name}`, inner, depth + 1)
      }
    } else if (typeof value === 'string' && (value.length > longText || value.includes('\n'))) {
      texts.push({ title: path, text: value })
    } else if (value !== null && value !== undefined) {
      facts.push([path, String(cellOf(value))])
    }
  }
  visit('', json, 0)
  return { kind, about, facts, texts, tables, figures }
}

/** Of a bench the rows of its first operation and input: lines of all of them would lie on each other. */
function wordsFor(kind: string, path: string, { head, rows }: ViewTable): { readonly words?: string } {
  const names = { drift: ['op', 'variant', 'input'], kernels: ['kernel', 'input'] }[kind]
  if (names === undefined || path !== 'rows') return {}
  const cells = names.map((name) => rows[0]?.[head.indexOf(name)])
  return { words: cells.filter((cell) => cell !== undefined && cell !== null && cell !== '').join(' ') }
}

/** A list of numbers over its index; of a run the step of its NaN is marked. */
function lineOf(path: string, values: readonly (number | null)[], { firstNonFiniteStep }: Json): ViewFigure {
  const y = values.map((value) => value ?? Number.NaN)
  const finite = y.filter(Number.isFinite)
  const logY = path === 'loss' && finite.every((value) => value > 0)
  const marked = path === 'loss' && typeof firstNonFiniteStep === 'number'
  return {
    ...{
      title: path,
      caption: `${values.length} values.`,
      xTitle: path === 'loss' ? 'step' : 'index',
      yTitle: path,
    },
    ...{ logX: false, logY },
    series: [{ name: path, color: 'red', dashed: false, x: y.map((_, i) => i + 1), y }],
    marks: marked ? [{ x: firstNonFiniteStep, word: `NaN, step ${firstNonFiniteStep}` }] : [],
  }
}

interface Figure {
  readonly title: string
  readonly caption?: string
  readonly x?: { readonly label?: string; readonly scale?: string }
  readonly y?: { readonly label?: string; readonly scale?: string }
  readonly series: readonly {
    readonly name?: string
    readonly color?: string
    readonly dashed?: boolean
    readonly points: readonly { readonly x: number; readonly y: number | null }[]
  }[]
  readonly markers?: readonly { readonly x?: number; readonly y?: number; readonly label?: string }[]
}

/** A plot as the reports of the commands describe it. */
function isFigure(value: unknown): value is Figure {
  return (
    isRecord(value) &&
    typeof value['title'] === 'string' &&
    Array.isArray(value['series']) &&
    value['series'].every(
      (one) => isRecord(one) && Array.isArray(one['points']) && one['points'].every(isRecord),
    )
  )
}

const colors: readonly SeriesColor[] = ['red', 'blue', 'green', 'orange', 'purple', 'teal', 'pink', 'grey']

function figureOf({ title, caption = '', x, y, series, markers = [] }: Figure): ViewFigure {
  return {
    ...{ title, caption, xTitle: x?.label ?? '', yTitle: y?.label ?? '' },
    ...{ logX: x?.scale?.startsWith('log') ?? false, logY: y?.scale?.startsWith('log') ?? false },
    series: series.map(({ name = '', color, dashed, points }, i) => ({
      ...{ name, color: colors.find((one) => one === color) ?? colors[(2 + i) % colors.length]! },
      dashed: dashed ?? color === 'blue',
      x: points.map((point) => point.x),
      y: points.map((point) => point.y ?? Number.NaN),
    })),
    marks: markers.map(({ x: at, y: level, label = '' }) => ({
      ...(at === undefined ? {} : { x: at }),
      ...(level === undefined ? {} : { y: level }),
      word: label,
    })),
  }
}

/** Spans of time by their names: how often, how long together, the share of the longest. */
function traceView({ traceEvents, otherData }: Json, { kind, about }: ReportKind): View {
  const events = Array.isArray(traceEvents) ? traceEvents.filter(isRecord) : []
  const byName = new Map<string, { category: string; count: number; total: number; longest: number }>()
  let [from, to] = [Infinity, -Infinity]
  for (const { ph, name, cat, ts, dur } of events) {
    if (ph !== 'X' || typeof name !== 'string' || typeof dur !== 'number' || typeof ts !== 'number') continue
    const known = byName.get(name) ?? { category: String(cat ?? ''), count: 0, total: 0, longest: 0 }
    const { category, count, total, longest } = known
    byName.set(name, { category, count: count + 1, total: total + dur, longest: Math.max(longest, dur) })
    from = Math.min(from, ts)
    to = Math.max(to, ts + dur)
  }
  if (byName.size === 0) throw new RangeError(`no spans of time among its events [${events.length} events]`)
  const spans = [...byName]
    .map(([name, { category, count, total, longest }]) => ({
      ...{ name, category, count, 'total us': total, 'mean us': total / count, 'longest us': longest },
      'share of all': total / (to - from),
    }))
    .sort((a, b) => b['total us'] - a['total us'])
  const facts = isRecord(otherData)
    ? Object.entries(otherData).map(([name, value]) => [name, String(value)] as const)
    : []
  return {
    ...{ kind, about, texts: [], figures: [] },
    facts: [['events', String(events.length)], ['from first to last, us', String(to - from)], ...facts],
    tables: [tableOf('spans', spans)],
  }
}
