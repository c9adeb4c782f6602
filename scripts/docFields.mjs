// A typedoc plugin: the fields of our docstrings (Shape, Dtype, Rounding, ...), each of which begins a line, become a list
// instead of one run-on paragraph; in the side bar the pages stand in groups, by their titles, and the entry points beside them; formulas are MathML.
import { Comment, CommentTag, Converter, ReflectionKind } from 'typedoc'
import { withFormulas } from './docFormulas.mjs'

const names = 'Shape Dtype Rounding Special Error Gradient Throws Cost Source Readings Format'.split(' ')
const field = new RegExp(`^(${names.join('|')})(?: {2,}|(?= [a-z|]))(.*)$`)
// Several short fields may share a line: `Shape none. Dtype none.`
const several = new RegExp(`(?<=[.;]) (?=(?:${names.join('|')}) )`)

/** The text with every run of field lines as a Markdown list. */
export function withLists(text) {
  const out = []
  let inside = false
  for (const line of text.split('\n')) {
    const [, name, rest] = field.exec(line) ?? []
    if (name !== undefined) {
      if (!inside && out.length > 0 && out.at(-1) !== '') out.push('')
      const [first, ...others] = rest.trim().split(several)
      out.push(`- **${name}** ${first}`, ...others.map((part) => part.replace(/^(\S+)/, '- **$1**')))
      inside = true
    } else if (inside && line.trim() !== '') {
      out.push(`  ${line.trim()}`)
    } else {
      inside = false
      out.push(line)
    }
  }
  return out.join('\n')
}

/** The parts of a comment or a page with a rule for texts applied to all of it as one text: it may have code and links in its midst. */
export function partsWith(rule, parts) {
  // U+FFFC, the object replacement character, stands for what is no text.
  const others = parts.filter(({ kind }) => kind !== 'text')
  const text = parts.map((part) => (part.kind === 'text' ? part.text : '\ufffc')).join('')
  const pieces = rule(text).split('\ufffc')
  return pieces.flatMap((piece, i) => [{ kind: 'text', text: piece }, ...others.slice(i, i + 1)])
}

// What one comes for.
const groups = {
  Learn: 'tutorial getting-started jax pytorch lab notebooks step-2750 failures python real-data',
  'Do: find and repair':
    'cookbook precision-doctor precision-bounds precision-tuning sweep queue monitor profile',
  'Do: train':
    'low-precision-training recipes nn losses optimizers schedules train autodiff compile kernels custom-operations nca vq rl tfjs',
  'Do: feed and keep': 'pipeline replay files checkpoint hosts',
  'Do: plan': 'planning',
  'Look up': 'formats block-formats exactness command benchmarks README CHANGELOG',
  'How it is made': 'design where CONTRIBUTING',
}

/** The group of a page in the side bar, by the name of its file. */
export function groupOf(page) {
  return Object.keys(groups).find((group) => groups[group].split(' ').includes(page)) ?? 'More'
}

const titles = { README: 'The map of every name', CHANGELOG: 'Changes' }

export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, page) => {
    const file = page.name.replace(/^.*\//, '')
    page.frontmatter.group = groupOf(file)
    const title = /^# (.+)$/m.exec(page.content.map(({ text }) => text).join(''))?.[1]
    page.name = titles[file] ?? title ?? page.name
    page.content = partsWith(withFormulas, page.content)
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    // The page has its title already.
    const [first] = project.readme ?? []
    if (first?.kind === 'text') first.text = first.text.replace(/^# .+\n/, '')
    for (const reflection of Object.values(project.reflections)) {
      if (reflection.comment) reflection.comment.summary = partsWith(withLists, reflection.comment.summary)
      if (reflection.kindOf(ReflectionKind.Module)) {
        // The root's file is index.ts; nobody imports it by that name.
        if (reflection.name === 'index') reflection.name = 'tpu-toolkit'
        reflection.comment ??= new Comment()
        reflection.comment.blockTags.push(
          new CommentTag('@group', [{ kind: 'text', text: 'Look up: the doors' }]),
        )
      }
    }
  })
}
