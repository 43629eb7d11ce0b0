// What an editor does with whole texts: a question that was there before comes back as a whole, and a text that is pasted
// over everything is shown from its beginning. Fetched after a first verdict, with finding.

import { redoDepth, undoDepth } from '@codemirror/commands'
import { EditorState, Prec, type Extension, type Transaction } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { search as find } from './editor-search'
import { fromKernel } from './editor-setup'
import { session } from './session.svelte'

export { press } from './editor-search'

const undoWhole = (view: EditorView) => undoDepth(view.state) === 0 && session.undo()
const redoWhole = (view: EditorView) => redoDepth(view.state) === 0 && session.redo()

/** Where a text has nothing to undo, the question that was there before it comes back: both kernels, the spec, the form. */
const wholeUndo: Extension = Prec.high([
  keymap.of([
    { key: 'Mod-z', run: undoWhole },
    { key: 'Mod-y', mac: 'Mod-Shift-z', run: redoWhole },
    { linux: 'Ctrl-Shift-z', run: redoWhole },
  ]),
  EditorView.domEventHandlers({
    beforeinput(event, view) {
      const done = event.inputType === 'historyUndo' ? undoWhole(view) : event.inputType === 'historyRedo' ? redoWhole(view) : false
      if (done) event.preventDefault()
      return done
    },
  }),
])

/** Whether a whole text is pasted over what was there. */
function pastesWhole(transaction: Transaction): boolean {
  if (!transaction.isUserEvent('input.paste') || transaction.newDoc.lines < 2) return false
  let whole = false
  transaction.changes.iterChanges((from, to) => (whole ||= from === 0 && to === transaction.startState.doc.length))
  return whole
}

/** A kernel that is pasted over a whole text is shown from its beginning, not from its end. */
const pastedFromStart: Extension = [
  EditorState.transactionFilter.of(transaction => (pastesWhole(transaction) ? [transaction, { selection: { anchor: 0 }, sequential: true }] : transaction)),
  EditorView.updateListener.of(({ transactions, view }) => {
    // Once its lines are there.
    if (transactions.some(pastesWhole)) requestAnimationFrame(() => view.dispatch({ effects: fromKernel(view.state) }))
  }),
]

export const search: Extension = [find, wholeUndo, pastedFromStart]

// Small parts that are wanted at the same time share its file: each file has its line in the list that every visit fetches.
export { parameterName, readable } from '../core/names'
export { explainLiteral } from '../core/constants'
export { explainRegister } from '../core/registers'
export { groupRaces } from '../core/races'
