import type { ChartSeries } from '../../parts/drawChart.js'

const most = 40

/** The lines that are drawn, as a program with their numbers. */
export function linesCode(
  file: string,
  table: string,
  { x, y }: { readonly x: string; readonly y: string },
  lines: readonly ChartSeries[],
): string {
  const number = (value: number): string =>
    Number.isFinite(value) ? String(value) : value > 0 ? 'Infinity' : value < 0 ? '-Infinity' : 'NaN'
  const shown = lines.map((line) => {
    const points = Array.from(line.x)
      .slice(0, most)
      .map((at, i) => `[${number(at)}, ${number(line.y[i]!)}]`)
    const rest = line.x.length > most ? ` // the first ${most} of ${line.x.length} points` : ''
    return `  ${JSON.stringify(line.name)}: [${points.join(', ')}],${rest}`
  })
  return `// ${JSON.stringify(y)} over ${JSON.stringify(x)}, from ${JSON.stringify(table)} of ${JSON.stringify(file)}
const lines: Record<string, [x: number, y: number][]> = {
${shown.join('\n')}
}
for (const [name, points] of Object.entries(lines)) {
  const ys = points.map(([, y]) => y)
  console.log(name, points.length, 'points, from', Math.min(...ys), 'to', Math.max(...ys))
}
`
}
