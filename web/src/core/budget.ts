// Advice about budgets: the engine's is for every face, and the page has no control for one.

import { text } from '../text'

/** What to try, as somebody on the page can. */
export function hintHere(hint: string): string {
  const rest = hint.replace(/(^|[,;] or )allow a larger budget$/, '')
  if (rest === hint) return hint
  return rest === '' ? text.verdict.budget : `${rest}; ${text.verdict.budget}`
}
