// The keys of CodeMirror's finding that an editor has before finding itself is there.

export interface FindingKey {
  key: string
  /** Opens a field. What is typed before it is there is not for the text. */
  opens?: true
  /** Does something with Shift, too. */
  shift?: true
}

export const FINDING_KEYS: FindingKey[] = [
  { key: 'Mod-f', opens: true },
  { key: 'Mod-Alt-g', opens: true },
  { key: 'Mod-g', shift: true },
  { key: 'F3', shift: true },
  { key: 'Mod-d' },
  { key: 'Mod-Shift-l' },
]
