import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { javascript } from '@codemirror/lang-javascript'
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language'
import { EditorState, StateEffect, StateField } from '@codemirror/state'
import { Decoration, drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** An editor on the page. */
export interface ProgramEditor {
  readonly setText: (text: string) => void
  /** Marks lines, from 1 on. */
  readonly mark: (lines: readonly number[]) => void
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
})

/** Opens an editor inside an element. In a shadow root, where its style sheet needs no inline style: the page forbids those. */
export function openEditor(
  parent: HTMLElement,
  text: string,
  onChange: (text: string) => void,
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
        keymap.of([...defaultKeymap, ...historyKeymap]),
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
    mark: (lines) => view.dispatch({ effects: marking.of(lines) }),
    destroy: () => view.destroy(),
  }
}
