// Finding in an editor, until it is there: its keys fetch it. editor-search.ts is the rest.

import { Compartment, type Extension } from '@codemirror/state'
import { keymap, type EditorView } from '@codemirror/view'
import { FINDING_KEYS, type FindingKey } from './finding-keys'
import { laterSearch } from './later'
import { session } from './session.svelte'
import { text } from '../text'

const place = new Compartment()

export const finding: Extension = place.of(
  keymap.of(
    FINDING_KEYS.map(pressed => {
      const run = (shift: boolean) => (view: EditorView) => (void find(view, pressed, shift), true)
      return { key: pressed.key, preventDefault: true, run: run(false), ...(pressed.shift && { shift: run(true) }) }
    }),
  ),
)

/** Gives an editor finding; rejects where it cannot be fetched. */
export async function addFinding(view: EditorView): Promise<void> {
  const { search } = await laterSearch()
  if (place.get(view.state) !== search) view.dispatch({ effects: place.reconfigure(search) })
}

/** Does what a key of finding does, as soon as it is there. */
async function find(view: EditorView, { key, opens }: FindingKey, shift: boolean): Promise<void> {
  if (opens) view.contentDOM.blur()
  try {
    await addFinding(view)
    back(view)
    ;(await laterSearch()).press(view, key, shift)
  } catch {
    back(view)
    session.notice = { tone: 'warn', text: text.notFetched }
  }
}

/** Gives the focus back, unless it has gone elsewhere. */
function back(view: EditorView): void {
  if (document.activeElement === document.body) view.focus()
}
