import { autocompletion, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { EditorState, StateEffect, StateField } from '@codemirror/state'
import { Decoration, drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { Problem } from './checkImports.js'
import { completions } from './completions.js'
import type { LabModule } from './labModules.js'

/** An editor on the page. */
export interface ProgramEditor {
  readonly setText: (text: string) => void
  /** Marks lines, from 1 on. */
  readonly mark: (lines: readonly number[]) => void
  /** Underlines what is wrong. */
  readonly underline: (problems: readonly Problem[]) => void
  /** Selects a part, brings it into sight and has the keyboard go there. */
  readonly goTo: (problem: Problem) => void
  readonly destroy: () => void
}

const marking = StateEffect.define<readonly number[]>()
const marks = StateField.define({
  create: () => Decoration.none,
  update(held, transaction) {
    let next = held.map(transaction.changes)
    for (const effect of transaction.effects) {
      if (!effect.is(marking)) continue
      const { doc } = transaction.state
      const lines = [...new Set(effect.value)]
        .filter((line) => line >= 1 && line <= doc.lines)
        .sort((a, b) => a - b)
      next = Decoration.set(
        lines.map((line) => Decoration.line({ class: 'marked' }).range(doc.line(line).from)),
      )
    }
    return next
  },
  provide: (field) => EditorView.decorations.from(field),
})

const underlining = StateEffect.define<readonly Problem[]>()
const underlines = StateField.define({
  create: () => Decoration.none,
  update(held, transaction) {
    let next = held.map(transaction.changes)
    for (const effect of transaction.effects) {
      if (!effect.is(underlining)) continue
      const { length } = transaction.state.doc
      next = Decoration.set(
        effect.value
          .filter(({ from, text }) => text !== '' && from + text.length <= length)
          .map(({ from, text, message }) =>
            Decoration.mark({ class: 'wrong', attributes: { title: message } }).range(
              from,
              from + text.length,
            ),
          ),
        true,
      )
    }
    return next
  },
  provide: (field) => EditorView.decorations.from(field),
})

const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.controlKeyword], color: 'var(--series-purple)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--series-green)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--series-orange)' },
  { tag: tags.comment, color: 'var(--soft)' },
  { tag: [tags.typeName, tags.className], color: 'var(--series-teal)' },
])

const theme = EditorView.theme({
  '&': {
    color: 'var(--ink)',
    backgroundColor: 'var(--page)',
    fontSize: '0.86rem',
    border: '1px solid var(--edge)',
    borderRadius: '6px',
  },
  '&.cm-focused': { outline: '3px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': {
    fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace',
    lineHeight: '1.5',
    maxHeight: '28rem',
    overflow: 'auto',
  },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--soft)', border: 'none' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--rule)',
  },
  '.marked': { backgroundColor: 'var(--mark)' },
  '.wrong': { textDecoration: 'underline wavy var(--series-red)', textUnderlineOffset: '3px' },
  '.cm-tooltip': {
    color: 'var(--ink)',
    backgroundColor: 'var(--page)',
    border: '1px solid var(--edge)',
    borderRadius: '6px',
    fontSize: '0.86rem',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--on-accent)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-completionDetail': { color: 'inherit', fontStyle: 'normal' },
  '.cm-tooltip.cm-completionInfo': { maxWidth: 'min(30rem, 80vw)', padding: '4px 8px' },
})

/** What an editor tells, and what it completes names from. */
interface EditorOptions {
  readonly onChange: (text: string) => void
  /** Ctrl-Enter, Command-Enter on a Mac. */
  readonly onRun: () => void
  readonly modules: readonly LabModule[]
}

/** Opens an editor inside an element. In a shadow root, where its style sheet needs no inline style: the page forbids those. */
export function openEditor(
  parent: HTMLElement,
  text: string,
  { onChange, onRun, modules }: EditorOptions,
): ProgramEditor {
  const root = parent.shadowRoot ?? parent.attachShadow({ mode: 'open' })
  let told = text
  const view = new EditorView({
    root,
    parent: root as unknown as Element,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        javascript({ typescript: true }),
        syntaxHighlighting(colors),
        theme,
        marks,
        underlines,
        autocompletion({ override: [completions(modules)], icons: false }),
        keymap.of([
          {
            key: 'Mod-Enter',
            run() {
              onRun()
              return true
            },
          },
          ...completionKeymap,
          ...defaultKeymap,
          ...historyKeymap,
        ]),
        EditorView.contentAttributes.of({ 'aria-label': 'The program', tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return
          told = update.state.doc.toString()
          onChange(told)
        }),
      ],
    }),
  })
  return {
    setText(next) {
      if (next === told) return
      told = next
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } })
    },
    underline: (problems) => view.dispatch({ effects: underlining.of(problems) }),
    goTo({ from, text: part }) {
      view.dispatch({ selection: { anchor: from, head: from + part.length }, scrollIntoView: true })
      view.focus()
    },
    mark: (lines) => view.dispatch({ effects: marking.of(lines) }),
    destroy: () => view.destroy(),
  }
}
