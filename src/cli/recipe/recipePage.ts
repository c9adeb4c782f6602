import { kindNames, type ProductKind, type RecipeResults } from '../../experiments/recipes/index.js'
import { type Figure, heatMap, htmlPage, htmlTable, lineFigure, type Section } from '../../report/index.js'
import { armColumns, armRows, claimColumns, claimRows, sizesText } from './recipeText.js'

/** The report: verdict and tables, the curves, where the bits went, every run. */
export function recipePage(results: RecipeResults): string {
  const { recipe, sizes, arms, runs, verdict, claims } = results
  const { width, layers, steps, seeds } = sizes
  const summary: Section = {
    id: 'summary',
    title: 'With and without each ingredient',
    finding: verdict,
    paragraphs: [recipe.claim, `Lower is better: ${recipe.measures}. ${spreadNote}`],
    html: `${htmlTable(
      armColumns.filter(({ key }) => key !== 'curve'),
      armRows(arms),
    )}${htmlTable(claimColumns, claimRows(claims))}`,
    figures: [curves(results)],
  }
  const what: Section = {
    id: 'arms',
    title: 'The arms',
    html: htmlTable([{ key: 'name' }, { key: 'about', prose: true }], arms),
  }
  const single: Section = {
    id: 'runs',
    title: 'Every run',
    html: htmlTable(
      [
        { key: 'arm' },
        { key: 'seed' },
        { key: 'loss', digits: 6 },
        { key: 'nonFiniteStep', header: 'not finite at step' },
      ],
      runs.map(({ arm, seed, loss, nonFiniteStep }) => ({ arm, seed, loss, nonFiniteStep })),
    ),
  }
  const sources: Section = {
    id: 'sources',
    title: 'Sources',
    html: htmlTable(
      [{ key: 'text', header: 'source', prose: true, link: 'url' }],
      recipe.sources.map(({ text, url }) => ({ text, url })),
    ),
  }
  return htmlPage({
    title: recipe.title,
    lead: sizesText(results),
    facts: {
      recipe: recipe.name,
      width: String(width),
      layers: String(layers),
      steps: String(steps),
      seeds: String(seeds),
    },
    sections: [summary, what, ...bitSections(results), single, sources],
    foot: 'Written by tpu-toolkit recipe. The same numbers in full: recipe.json and recipe.csv beside this page.',
  })
}

const spreadNote =
  'Arms of one seed share weights, data and random words, so differences are taken seed by seed; behind ± is their standard error, in the column of spreads the standard deviation of the losses.'

function curves({ arms, sizes, recipe }: RecipeResults): Figure {
  const series = arms.map(({ name, curve }) => ({
    name,
    points: curve.map((y, i) => ({ x: ((i + 1) * sizes.steps) / Math.max(1, curve.length), y })),
  }))
  return lineFigure(series, {
    title: `${recipe.title}: training curves`,
    caption: 'Means over a part of the run and over seeds, by step.',
    x: { label: 'step' },
    y: { label: recipe.name === 'rl-mismatch' ? 'share of wrong tokens' : 'training loss, nats a character' },
    wide: true,
  })
}

/** One heat map an arm whose products were measured. */
function bitSections({ arms }: RecipeResults): Section[] {
  const measured = arms.filter(({ bits }) => bits.length > 0)
  if (measured.length === 0) return []
  const figures = measured.map(({ name, bits }): Figure => {
    const cells = bits.map(({ layer, kind, error }) => ({
      x: kindNames[kind as ProductKind],
      y: layer,
      value: error,
    }))
    const title = `Relative error of products, ${name}`
    return {
      svg: heatMap(cells, { title, x: { label: 'product' }, y: { label: 'layer' } }),
      caption: `${name}: the norm of the difference from float64 over the norm of the product.`,
      natural: true,
    }
  })
  return [
    {
      id: 'bits',
      title: 'Where the bits went',
      paragraphs: [
        'Every product of the trained model is run once more on held-out text and compared with the same product of the same operands in float64: forward, and the two of its gradient.',
      ],
      figures,
    },
  ]
}
