// What an editor does with whole texts: a question that was there before comes back as a whole. Fetched after a first
// verdict, with finding.

import { redoDepth, undoDepth } from '@codemirror/commands'
import { Prec, type Extension } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { search as find } from './editor-search'
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

export const search: Extension = [find, wholeUndo]

// Small parts that are wanted at the same time share its file: each file has its line in the list that every visit fetches.
export { parameterName, readable } from '../core/names'
export { explainLiteral } from '../core/constants'
export { explainRegister } from '../core/registers'
export { groupRaces } from '../core/races'
