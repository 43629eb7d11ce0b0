// Finding in an editor. It comes after the first verdict, or when it is asked for (later.ts).

import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { keymap, type EditorView } from '@codemirror/view'

export const search = [highlightSelectionMatches(), keymap.of(searchKeymap)]

/** Does what one of its keys does. */
export const press = (view: EditorView, key: string) => searchKeymap.find(binding => binding.key === key)?.run?.(view)
