// Long texts in small cells: each is cut so that what tells it from the others is seen.

/** The texts as cells of `width` characters show them: whole where they fit, else the stretch at which they part
 * from the text that is most like them. Equal texts are cut alike. */
export function distinct(texts: readonly string[], width: number): string[] {
  const sorted = [...new Set(texts)].sort()
  const shown = new Map(sorted.map((text, at) => [text, cut(text, Math.max(alike(text, sorted[at - 1]), alike(text, sorted[at + 1])), width)]))
  return texts.map(text => shown.get(text)!)
}

/** Characters that two texts begin with in common. */
function alike(text: string, other: string | undefined): number {
  if (other === undefined) return 0
  let at = 0
  while (at < text.length && text[at] === other[at]) at++
  return at
}

/** A stretch of a text in which the character at `at` is seen, with what follows it. */
function cut(text: string, at: number, width: number): string {
  if (text.length <= width) return text
  // A name is told by its beginning: `x[17]` parts from `x[16]` in its last character but one.
  const word = Math.max(0, text.slice(0, at + 1).search(/[\p{L}_][\p{L}\d_]*(\[[^\]]*\]?)?$|.$/u))
  if (word + 1 < width - 2 && at < width - 2) return `${text.slice(0, width - 1)}…`
  const from = Math.max(1, Math.min(at - word < width - 2 ? word : at, text.length - width + 1))
  const rest = text.slice(from)
  return rest.length <= width - 1 ? `…${rest}` : `…${rest.slice(0, width - 2)}…`
}
