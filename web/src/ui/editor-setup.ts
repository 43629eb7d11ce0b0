// CodeMirror as this page uses it: one set of extensions for every text, and the marks
// that evidence leaves on lines.

import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands'
import { bracketMatching } from '@codemirror/language'
import { diagnosticCount, lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { Compartment, EditorState, RangeSetBuilder, StateEffect, StateField, type Extension, type Transaction } from '@codemirror/state'
import {
  Decoration, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
  type DecorationSet,
} from '@codemirror/view'
import { utf16Offset } from '../core/positions'
import type { DiagnosticReport, TextSource } from '../core/protocol'
import { finding } from './finding'
import { highlighting } from './ptx-language'
import type { Focus, Mark } from './run'
import { session } from './session.svelte'

/** The nonce that the page's content security policy allows for styles (vite.config.ts). */
const STYLE_NONCE = 'warpproof'

const setMarks = StateEffect.define<Mark[]>()

const markField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, transaction) {
    let next = decorations.map(transaction.changes)
    for (const effect of transaction.effects) if (effect.is(setMarks)) next = decorate(transaction.state, effect.value)
    return next
  },
  provide: field => EditorView.decorations.from(field),
})

/** Characters of a mark's label that its line shows; the rest is in its tooltip. */
const LONGEST_LABEL = 110

/** A sentence of the engine where there is room for text alone. */
const plain = (sentence: string) => session.plain(sentence).replaceAll('`', '')

function decorate(state: EditorState, marks: Mark[]): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  for (const mark of [...marks].sort((a, b) => a.line - b.line)) {
    if (mark.line < 1 || mark.line > state.doc.lines) continue
    const from = state.doc.line(mark.line).from
    const label = plain(mark.label)
    const shown = label.length > LONGEST_LABEL ? `${label.slice(0, LONGEST_LABEL - 1)}…` : label
    builder.add(from, from, Decoration.line({ class: `wp-mark wp-mark-${mark.tone}`, attributes: label === '' ? {} : { 'data-mark': shown, title: label } }))
  }
  return builder.finish()
}

const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--panel)', color: 'var(--text)', fontSize: '12.5px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { padding: '6px 0', caretColor: 'var(--accent)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--faint)', border: 'none', paddingLeft: '4px' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 10px 0 4px', minWidth: '30px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--active-line)' },
  '.cm-activeLineGutter, &.cm-focused .cm-activeLineGutter': { color: 'var(--soft)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': { backgroundColor: 'var(--selection)' },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--accent) 14%, transparent)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-wash)', outline: '1px solid var(--accent)' },
  '.cm-tooltip': { backgroundColor: 'var(--panel)', color: 'var(--text)', border: '1px solid var(--line-strong)', borderRadius: '7px', boxShadow: 'var(--shadow)', fontSize: '12.5px', maxWidth: '520px' },
  '.cm-diagnostic': { padding: '6px 10px', fontFamily: 'var(--sans)', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic-error': { borderLeft: '4px solid var(--bad)' },
  '.cm-diagnostic-warning': { borderLeft: '4px solid var(--warn)' },
  '.cm-diagnostic-info': { borderLeft: '4px solid var(--accent)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.wp-hover': { padding: '6px 10px', fontFamily: 'var(--sans)', display: 'grid', gap: '3px' },
  '.wp-hover code': { fontFamily: 'var(--mono)', overflowWrap: 'anywhere' },
  '.wp-value': { maxHeight: '180px', overflow: 'auto' },
  '.wp-value math': { minWidth: 'max-content' },
  '.wp-hover small': { color: 'var(--soft)', fontSize: '12px' },
  '.wp-mark': { position: 'relative' },
  '.wp-mark-first': { backgroundColor: 'var(--bad-wash)', boxShadow: 'inset 3px 0 0 var(--bad)' },
  '.wp-mark-second': { backgroundColor: 'var(--warn-wash)', boxShadow: 'inset 3px 0 0 var(--warn)' },
  '.wp-mark-here': { backgroundColor: 'var(--accent-wash)', boxShadow: 'inset 3px 0 0 var(--accent)' },
  // Below its line: beside it, it would cover the code.
  '.wp-mark[data-mark]::after': {
    content: 'attr(data-mark)', display: 'block', position: 'sticky', left: '14px', width: 'fit-content', margin: '0 8px 0 14px', padding: '0 7px', borderRadius: '4px', whiteSpace: 'nowrap',
    fontFamily: 'var(--sans)', fontSize: '11px', lineHeight: '17px', backgroundColor: 'var(--panel)', color: 'var(--soft)', border: '1px solid var(--line)',
  },
  '.cm-merge-b .cm-changedLine, .cm-merge-a .cm-changedLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 9%, transparent)' },
  '.cm-merge-b .cm-changedText, .cm-merge-a .cm-changedText': { background: 'color-mix(in srgb, var(--accent) 24%, transparent)' },
})

/** What is typed over a selection. Left to itself, Chrome gives what it puts there a style of its own, which the page's policy
 * forbids, and complains. */
const typedOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== 'insertText' || event.data === null || view.composing || view.state.selection.main.empty) return false
    view.dispatch(view.state.replaceSelection(event.data), { userEvent: 'input.type', scrollIntoView: true })
    event.preventDefault()
    return true
  },
})

/** What can be undone in a text. */
const past = new Compartment()

/** From here on nothing before can be undone in this text: it came in whole, and whole questions are undone together. */
export function forgetPast(view: EditorView): void {
  view.dispatch({ effects: past.reconfigure([]) })
  view.dispatch({ effects: past.reconfigure(history()) })
}

/** What an editor holds: a language, and what it is called. */
export function holding(language: Extension, label: string): Extension {
  return [language, EditorView.contentAttributes.of({ 'aria-label': label })]
}

/** Whether a whole text is pasted over what was there. */
function pastesWhole(transaction: Transaction): boolean {
  if (!transaction.isUserEvent('input.paste') || transaction.newDoc.lines < 2) return false
  let whole = false
  transaction.changes.iterChanges((from, to) => (whole ||= from === 0 && to === transaction.startState.doc.length))
  return whole
}

/** The extensions of an editable text; `onEdit` hears every change made in it. */
export function extensions(held: Extension, onEdit: (text: string) => void): Extension[] {
  return [
    EditorView.cspNonce.of(STYLE_NONCE),
    lineNumbers(),
    lintGutter(),
    highlightActiveLineGutter(),
    highlightActiveLine(),
    past.of(history()),
    drawSelection(),
    bracketMatching(),
    finding,
    EditorState.tabSize.of(4),
    EditorState.lineSeparator.of('\n'),
    // Escape, then Tab, leaves the editor: no focus trap.
    keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
    EditorView.contentAttributes.of({ tabindex: '0', spellcheck: 'false', autocorrect: 'off', autocapitalize: 'off' }),
    EditorView.updateListener.of(({ docChanged, state, transactions, view }) => {
      if (docChanged) onEdit(state.doc.toString())
      // A kernel that is pasted over a whole text is shown from its beginning, not from its end, once its lines are there.
      if (transactions.some(pastesWhole)) requestAnimationFrame(() => view.dispatch({ selection: { anchor: 0 }, effects: fromKernel(view.state) }))
    }),
    held,
    highlighting,
    markField,
    scrollAlone,
    typedOver,
    look,
  ]
}

/** Replaces the whole text unless it is already there. */
export function showText(view: EditorView, text: string): void {
  const current = view.state.doc.toString()
  if (current === text) return
  const changes = { from: 0, to: current.length, insert: text }
  if (alike(current, text)) view.dispatch({ changes, scrollIntoView: false })
  else {
    view.dispatch({ changes, selection: { anchor: 0 } })
    view.dispatch({ effects: fromKernel(view.state) })
  }
}

/** Whether a text is another one with something changed: the same compiler's, and a kernel of the same name. */
const alike = (before: string, after: string) => before !== '' && before.slice(0, HEAD) === after.slice(0, HEAD)
const HEAD = 400

export function showMarks(view: EditorView, marks: Mark[]): void {
  if (marks.length > 0 || view.state.field(markField).size > 0) view.dispatch({ effects: setMarks.of(marks) })
}

/** Shows a text from where its kernel begins: headers say little. The cursor stays. */
export function fromKernel({ doc }: Pick<EditorState, 'doc'>): StateEffect<unknown> {
  const start = Math.max(0, doc.toString().search(/^[^/\n]*\.entry\b/m))
  return EditorView.scrollIntoView(doc.lineAt(start).from, { y: 'start', yMargin: 4 })
}

/** Scrolls a line into the middle and puts the cursor there. */
export function showLine(view: EditorView, { line, column, still }: Omit<Focus, 'source'>): void {
  const wanted = view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines)))
  const at = Math.min(wanted.from + column - 1, wanted.to)
  if (still) sought.delete(view)
  else sought.add(view)
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) })
}

/** Editors of which somebody wants to see a line. */
const sought = new WeakSet<EditorView>()

/** What nobody sought is shown without the page being scrolled to its editor. */
const scrollAlone = EditorView.scrollHandler.of((view, { head }, { y, yMargin }) => {
  // In a diff both editors scroll together, in what is around them.
  if (y === 'nearest' || sought.delete(view) || view.dom.closest('.cm-mergeView')) return false
  const scroller = view.scrollDOM
  const { node } = view.domAtPos(head)
  const line = (node instanceof Element ? node : node.parentElement)?.closest('.cm-line')?.getBoundingClientRect()
  const box = scroller.getBoundingClientRect()
  if (line) scroller.scrollTop += y === 'center' ? (line.top + line.bottom - box.top - box.bottom) / 2 : line.top - box.top - yMargin
  return true
})

/** Squiggles and gutter signs for the findings that concern this text. */
export function showDiagnostics(view: EditorView, source: TextSource, reports: DiagnosticReport[]): void {
  const text = view.state.doc.toString()
  const shown = reports.flatMap((report): Diagnostic[] => {
    const at = report.primary?.at
    if (!at || at.source !== source) return []
    const from = Math.min(utf16Offset(text, at.start), text.length)
    const to = Math.min(Math.max(utf16Offset(text, at.end), from), text.length)
    const message = [`${plain(report.message)} (${report.code})`, ...report.notes.map(plain)].join('\n')
    return [{ from, to, severity: report.severity, message }]
  })
  if (shown.length > 0 || diagnosticCount(view.state) > 0) view.dispatch(setDiagnostics(view.state, shown))
}
