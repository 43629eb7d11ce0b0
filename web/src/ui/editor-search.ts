// Finding in an editor. It comes after the first verdict, or when it is asked for (later.ts).

import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorView, keymap } from '@codemirror/view'

const look = EditorView.theme({
  '.cm-panel.cm-search': { padding: '6px 26px 6px 8px', fontFamily: 'var(--sans)' },
  '.cm-panel.cm-search :is(input, button, label)': { fontSize: '12px', margin: '2px 6px 2px 0' },
  '.cm-panel.cm-search [name=close]': { top: '4px', right: '6px', fontSize: '16px', color: 'var(--soft)', cursor: 'pointer' },
  '.cm-textfield': { backgroundColor: 'var(--panel)', color: 'var(--text)', border: '1px solid var(--line-strong)', borderRadius: '6px', padding: '2px 6px' },
  '.cm-button': { backgroundImage: 'none', backgroundColor: 'var(--panel)', color: 'var(--text)', border: '1px solid var(--line)', borderRadius: '6px', padding: '2px 9px', cursor: 'pointer' },
  '.cm-button:hover': { backgroundColor: 'var(--sunken)' },
  '.cm-searchMatch': { backgroundColor: 'color-mix(in srgb, var(--warn) 28%, transparent)' },
  '.cm-searchMatch-selected': { backgroundColor: 'color-mix(in srgb, var(--warn) 55%, transparent)' },
})

export const search = [highlightSelectionMatches(), keymap.of(searchKeymap), look]

/** Does what one of its keys does, alone or with Shift. */
export function press(view: EditorView, key: string, shift: boolean): void {
  const binding = searchKeymap.find(binding => binding.key === key)
  ;(shift ? binding?.shift : binding?.run)?.(view)
}
