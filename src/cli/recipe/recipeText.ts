import { readable, sparkline } from '../../base/text/index.js'
import {
  type ArmResult,
  type JudgedClaim,
  kindNames,
  type ProductKind,
  type RecipeResults,
  recipeNames,
  recipe as recipeOf,
} from '../../experiments/recipes/index.js'
import { type Column, type Row, textTable } from '../../report/index.js'

const kinds = Object.keys(kindNames) as ProductKind[]

/** The recipes, one a row. */
export function recipeList(width?: number): string {
  const rows = recipeNames.map((name) => {
    const { title, arms } = recipeOf(name)
    return { name, title, arms: arms.length }
  })
  return textTable([{ key: 'name' }, { key: 'title' }, { key: 'arms' }], rows, { width })
}

/** The columns of the table of ablations. */
export const armColumns: readonly Column[] = [
  { key: 'arm' },
  { key: 'loss', digits: 5, align: 'right' },
  { key: 'spread', header: '± over seeds', digits: 2, align: 'right' },
  { key: 'difference', header: 'against the first', align: 'right' },
  { key: 'bits', header: 'error of products', align: 'right' },
  { key: 'curve', align: 'left' },
]

/** The rows of the table of ablations. */
export function armRows(arms: readonly ArmResult[]): Row[] {
  return arms.map((arm, i) => ({
    arm: arm.name,
    loss: arm.loss ?? `not finite in ${arm.broken} of ${arm.losses.length}`,
    spread: arm.spread,
    difference: i === 0 ? '' : differenceText(arm.difference, arm.differenceError),
    bits: errorsText(arm),
    curve: sparkline(arm.curve),
  }))
}

/** A difference with its standard error. */
export function differenceText(difference: number | null, error: number | null): string {
  if (difference === null) return '-'
  const sign = difference < 0 ? '-' : '+'
  const size = `${sign}${readable(Math.abs(difference), 2)}`
  return error === null ? size : `${size} ± ${readable(error, 1)}`
}

/** The mean errors of forward, dgrad and wgrad products in percent. */
function errorsText({ bits }: ArmResult): string {
  if (bits.length === 0) return '-'
  const shares = kinds.flatMap((kind) => {
    const own = bits.filter((one) => one.kind === kind)
    if (own.length === 0) return []
    return [readable((100 * own.reduce((total, { error }) => total + error, 0)) / own.length, 2)]
  })
  return `${shares.join(' / ')} %`
}

/** The columns of the table of claims. */
export const claimColumns: readonly Column[] = [
  { key: 'text', header: 'the source says', prose: true },
  { key: 'answer', header: 'here' },
  { key: 'difference', header: 'difference', align: 'right' },
]

/** The rows of the table of claims. */
export function claimRows(claims: readonly JudgedClaim[]): Row[] {
  return claims.map(({ claim, text, answer, difference, error }) => ({
    text,
    answer,
    difference:
      claim.says === 'within' && difference !== null
        ? `${differenceText(100 * difference, error === null ? null : 100 * error)} %`
        : differenceText(difference, error),
  }))
}

/** How it was run, in words. */
export function sizesText({ recipe, sizes }: RecipeResults): string {
  const { width, layers, steps, seeds } = sizes
  return `width ${width}, layers ${layers}, ${readable(steps)} steps, ${seeds === 1 ? 'seed 0' : `seeds 0 to ${seeds - 1}`}; measured: ${recipe.measures}`
}

/** What a run prints on a terminal. */
export function recipeText(results: RecipeResults, width?: number): string {
  const { recipe, arms, claims, verdict } = results
  const named = arms.map(({ name, about }) => `  ${name}: ${about}`)
  return [
    `${recipe.title}\n${recipe.claim}\n${recipe.sources.map(({ text }) => text).join('; ')}`,
    sizesText(results),
    textTable(armColumns, armRows(arms), { width }),
    textTable(claimColumns, claimRows(claims), { width }),
    verdict,
    `Arms:\n${named.join('\n')}\nError of products: root mean square of the difference from float64 over that of the product, forward / dgrad / wgrad; of muon, of the directions of its updates.\n`,
  ].join('\n\n')
}

/** The tables and the verdict as Markdown, as the pages of the documentation have them. */
export function recipeMarkdown(results: RecipeResults): string {
  const { arms, claims, verdict } = results
  const line = (cells: readonly unknown[]): string => `| ${cells.join(' | ')} |`
  const shown = (value: unknown, digits: number): string =>
    typeof value === 'number' ? readable(value, digits) : value === null ? '-' : String(value)
  const armLines = armRows(arms).map((row) =>
    line([row['arm'], shown(row['loss'], 5), shown(row['spread'], 2), row['difference'], row['bits']]),
  )
  const claimLines = claimRows(claims).map(({ text, answer, difference }) => line([text, answer, difference]))
  return [
    '| arm | loss | ± over seeds | against the first | error of products: forward / dgrad / wgrad |',
    '|---|---|---|---|---|',
    ...armLines,
    '',
    '| the source says | here | difference |',
    '|---|---|---|',
    ...claimLines,
    '',
    `Verdict (${sizesText(results)}): ${verdict}`,
    '',
  ].join('\n')
}
