// Formulas for CodeMirror, and colored where no editor is: a line tokenizer, which does for Python, too.

import { StreamLanguage } from '@codemirror/language'
import { highlightTree, tags } from '@lezer/highlight'
import { colors } from './ptx-language'

export const formulaLanguage = StreamLanguage.define<Record<string, never>>({
  name: 'formula',
  startState: () => ({}),
  token(stream) {
    if (stream.eatSpace()) return null
    if (stream.match(/^#.*/)) return 'comment'
    if (stream.match(/^(\d[\d_]*\.?[\d_]*|\.\d+)([eE][+-]?\d+)?/)) return 'number'
    if (stream.match(/^('[^'\n]*'?|"[^"\n]*"?)/)) return 'string'
    if (stream.match(/^(if|else|and|or|not|in|is|import|as|def|return|for|lambda)\b/)) return 'word'
    if (stream.match(/^(None|True|False|inf|pi|e)\b/)) return 'constant'
    // What stands before a bracket is a function; the engine knows which exist.
    if (stream.match(/^[\p{L}_][\p{L}\p{N}_]*(?=\s*\()/u)) return 'function'
    if (stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u)) return 'variable'
    stream.next()
    return null
  },
  languageData: { commentTokens: { line: '#' } },
  tokenTable: { function: tags.keyword, variable: tags.variableName, word: tags.controlOperator, constant: tags.special(tags.variableName) },
})

/** A program in pieces, each with the class of its color. */
export function colored(code: string): { text: string; color: string }[] {
  const pieces: { text: string; color: string }[] = []
  let at = 0
  const put = (to: number, color: string) => {
    if (to > at) pieces.push({ text: code.slice(at, to), color })
    at = to
  }
  highlightTree(formulaLanguage.parser.parse(code), colors, (from, to, color) => {
    put(from, '')
    put(to, color)
  })
  put(code.length, '')
  return pieces
}
