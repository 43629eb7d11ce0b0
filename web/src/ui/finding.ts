// Finding in an editor, until it is there: its keys fetch it. editor-search.ts is the rest.

import { Compartment, type Extension } from '@codemirror/state'
import { keymap, type EditorView } from '@codemirror/view'
import { laterSearch } from './later'
import { session } from './session.svelte'
import { text } from '../text'

/** Keys that open a field. What is typed before it is there is not for the text. */
const OPENING = ['Mod-f', 'Mod-Alt-g']
const KEYS = [...OPENING, 'Mod-g', 'F3', 'Mod-d', 'Mod-Shift-l']

const place = new Compartment()

export const finding: Extension = place.of(keymap.of(KEYS.map(key => ({ key, preventDefault: true, run: view => (void find(view, key), true) }))))

/** Gives an editor finding; rejects where it cannot be fetched. */
export async function addFinding(view: EditorView): Promise<void> {
  const { search } = await laterSearch()
  if (place.get(view.state) !== search) view.dispatch({ effects: place.reconfigure(search) })
}

/** Does what a key of finding does, as soon as it is there. */
async function find(view: EditorView, key: string): Promise<void> {
  if (OPENING.includes(key)) view.contentDOM.blur()
  try {
    await addFinding(view)
    back(view)
    ;(await laterSearch()).press(view, key)
  } catch {
    back(view)
    session.notice = { tone: 'warn', text: text.notFetched }
  }
}

/** Gives the focus back, unless it has gone elsewhere. */
function back(view: EditorView): void {
  if (document.activeElement === document.body) view.focus()
}
