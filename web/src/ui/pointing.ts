// Tells the session which line the cursor or the mouse is on, so that the timeline can light it.

import { EditorView } from '@codemirror/view'
import type { Extension } from '@codemirror/state'
import { untrack } from 'svelte'
import type { TextSource } from '../core/protocol'
import { session } from './session.svelte'

export function pointing(source: TextSource): Extension {
  const point = (line: number | null) => {
    // Effects move the cursor and so come here: they must not run again because the line changed.
    const pointed = untrack(() => session.pointed)
    if (line === null ? pointed === null : pointed?.source === source && pointed.line === line) return
    session.pointed = line === null ? null : { source, line }
  }
  const cursorLine = (view: EditorView) => view.state.doc.lineAt(view.state.selection.main.head).number
  return [
    EditorView.updateListener.of(update => {
      if (update.selectionSet) point(cursorLine(update.view))
    }),
    EditorView.domEventHandlers({
      mousemove(event, view) {
        const at = view.posAtCoords({ x: event.clientX, y: event.clientY })
        if (at !== null) point(view.state.doc.lineAt(at).number)
      },
      mouseleave(_, view) {
        point(view.hasFocus ? cursorLine(view) : null)
      },
    }),
  ]
}
