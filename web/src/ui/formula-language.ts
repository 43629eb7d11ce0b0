// Formulas for CodeMirror, and coloured where no editor is: a line tokenizer, which does for Python, too.

import { StreamLanguage } from '@codemirror/language'
import { highlightTree, tags } from '@lezer/highlight'
import { colours } from './ptx-language'

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

/** A program in pieces, each with the class of its colour. */
export function coloured(code: string): { text: string; colour: string }[] {
  const pieces: { text: string; colour: string }[] = []
  let at = 0
  const put = (to: number, colour: string) => {
    if (to > at) pieces.push({ text: code.slice(at, to), colour })
    at = to
  }
  highlightTree(formulaLanguage.parser.parse(code), colours, (from, to, colour) => {
    put(from, '')
    put(to, colour)
  })
  put(code.length, '')
  return pieces
}
