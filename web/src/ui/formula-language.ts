// Formulas for CodeMirror: a line tokenizer. What stands before a bracket is a function; the engine knows which exist.

import { StreamLanguage } from '@codemirror/language'
import { tags } from '@lezer/highlight'

export const formulaLanguage = StreamLanguage.define<Record<string, never>>({
  name: 'formula',
  startState: () => ({}),
  token(stream) {
    if (stream.eatSpace()) return null
    if (stream.match(/^#.*/)) return 'comment'
    if (stream.match(/^(\d[\d_]*\.?[\d_]*|\.\d+)([eE][+-]?\d+)?/)) return 'number'
    if (stream.match(/^('[^'\n]*'?|"[^"\n]*"?)/)) return 'string'
    if (stream.match(/^(if|else|and|or|not|in|is)\b/)) return 'word'
    if (stream.match(/^(None|True|False|inf|pi|e)\b/)) return 'bool'
    if (stream.match(/^[\p{L}_][\p{L}\p{N}_]*(?=\s*\()/u)) return 'function'
    if (stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u)) return 'register'
    stream.next()
    return null
  },
  languageData: { commentTokens: { line: '#' } },
  tokenTable: { function: tags.keyword, register: tags.variableName, word: tags.controlOperator },
})
