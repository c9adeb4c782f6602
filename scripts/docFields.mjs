// A typedoc plugin: the fields of our docstrings (Shape, Dtype, Rounding, ...), each of which begins a line, become a list
// instead of one run-on paragraph; and in the side bar the pages stand in groups, by their titles.
import { Converter } from 'typedoc'

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

/** The parts of a comment, text beside code and links, treated as one text: a field may have code in its midst. */
export function partsWithLists(parts) {
  // U+FFFC, the object replacement character, stands for what is no text.
  const others = parts.filter(({ kind }) => kind !== 'text')
  const text = parts.map((part) => (part.kind === 'text' ? part.text : '\ufffc')).join('')
  const pieces = withLists(text).split('\ufffc')
  return pieces.flatMap((piece, i) => [{ kind: 'text', text: piece }, ...others.slice(i, i + 1)])
}

const groups = {
  Begin: 'getting-started lab python command notebooks cookbook',
  'Formats and numbers': 'formats block-formats exactness failures files',
  'Training in low precision':
    'low-precision-training losses nn nca vq optimizers schedules autodiff compile kernels precision-doctor sweep rl replay pipeline tfjs',
  'Runs that last': 'train checkpoint monitor profile hosts',
  'Planning and measuring': 'planning benchmarks step-2750 real-data',
  'How it is made': 'design',
}

/** The group of a page in the side bar, by the name of its file. */
export function groupOf(page) {
  return Object.keys(groups).find((group) => groups[group].split(' ').includes(page)) ?? 'More'
}

export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, page) => {
    page.frontmatter.group = groupOf(page.name)
    const title = /^# (.+)$/m.exec(page.content.map(({ text }) => text).join(''))?.[1]
    if (title !== undefined) page.name = title
  })
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const { comment } of Object.values(project.reflections)) {
      if (comment) comment.summary = partsWithLists(comment.summary)
    }
  })
}
