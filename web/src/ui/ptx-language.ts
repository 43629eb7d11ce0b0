// PTX for CodeMirror: a line tokenizer. It colors what a reader looks for (opcodes,
// types, special registers, labels, constants) and leaves correctness to the engine's parser.

import { HighlightStyle, StreamLanguage, syntaxHighlighting, type StreamParser } from '@codemirror/language'
import { tags } from '@lezer/highlight'

interface State {
  /** Inside a block comment. */
  comment: boolean
  /** The next word can be an opcode. */
  statement: boolean
}

const SPECIAL = /^%(n?tid|n?ctaid|laneid|n?warpid|n?smid|gridid|lanemask_\w+|clock\w*|envreg\d+|pm\d+|globaltimer\w*|dynamic_smem_size|total_smem_size|cluster\w*|is_explicit_cluster|n?clusterid|reserved_smem\w*)\b(\.[xyzw])?/

const parser: StreamParser<State> = {
  name: 'ptx',
  startState: () => ({ comment: false, statement: true }),
  token(stream, state) {
    if (state.comment) {
      if (stream.skipTo('*/')) {
        stream.match('*/')
        state.comment = false
      } else stream.skipToEnd()
      return 'comment'
    }
    // `.loc` and its kin end with their line, without a semicolon.
    if (stream.sol()) state.statement = true
    if (stream.eatSpace()) return null
    if (stream.match('//')) {
      stream.skipToEnd()
      return 'comment'
    }
    if (stream.match('/*')) {
      state.comment = true
      return 'comment'
    }
    if (stream.match(/^[;{}]/)) {
      state.statement = true
      return 'punctuation'
    }
    if (stream.match(/^@!?/)) return 'controlOperator'
    if (stream.match(/^"(\\.|[^"\\])*"/)) return 'string'
    if (stream.match(SPECIAL)) return 'special'
    if (stream.match(/^%[\w$]+/)) return 'register'
    if (state.statement && stream.match(/^[\w$]+(?=\s*:)/)) return 'label'
    if (stream.match(/^0[fF][0-9a-fA-F]{8}\b|^0[dD][0-9a-fA-F]{16}\b|^0[xX][0-9a-fA-F]+U?|^0[bB][01]+U?|^\d+\.\d*([eE][-+]?\d+)?|^\d+U?/)) return 'number'
    if (stream.match(/^\$[\w$]+/)) return 'label'
    if (stream.match(/^\.[a-zA-Z]\w*/)) {
      const word = stream.current()
      if (/^\.[busf]\d+(x\d)?$|^\.(pred|bf16|bf16x2|tf32|e4m3|e5m2|e2m3|e3m2|e2m1|ue8m0|b128)$/.test(word)) return 'type'
      state.statement = false
      return 'directive'
    }
    if (state.statement && stream.match(/^[a-z_][a-z0-9_]*/)) {
      state.statement = false
      return 'opcode'
    }
    if (stream.match(/^\w+/)) return 'name'
    stream.next()
    return null
  },
  languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } } },
  tokenTable: {
    opcode: tags.keyword,
    type: tags.typeName,
    register: tags.variableName,
    special: tags.special(tags.variableName),
    label: tags.labelName,
    directive: tags.modifier,
    name: tags.name,
  },
}

export const colors = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--syn-opcode)', fontWeight: '500' },
  { tag: tags.typeName, color: 'var(--syn-type)' },
  { tag: tags.variableName, color: 'var(--syn-register)' },
  { tag: tags.special(tags.variableName), color: 'var(--syn-special)' },
  { tag: tags.labelName, color: 'var(--syn-label)' },
  { tag: tags.modifier, color: 'var(--syn-directive)' },
  { tag: tags.number, color: 'var(--syn-number)' },
  { tag: tags.string, color: 'var(--syn-number)' },
  { tag: tags.comment, color: 'var(--syn-comment)' },
  { tag: tags.controlOperator, color: 'var(--syn-special)' },
  { tag: tags.propertyName, color: 'var(--syn-type)' },
  { tag: tags.heading, color: 'var(--syn-opcode)', fontWeight: '600' },
  { tag: tags.bool, color: 'var(--syn-special)' },
])

export const ptxLanguage = StreamLanguage.define(parser)
export const highlighting = syntaxHighlighting(colors)

/** TOML as the spec uses it. */
export const tomlLanguage = StreamLanguage.define<Record<string, never>>({
  name: 'toml',
  startState: () => ({}),
  token(stream) {
    if (stream.eatSpace()) return null
    if (stream.match(/^#.*/)) return 'comment'
    if (stream.sol() && stream.match(/^\s*\[[^\]]*\]/)) return 'heading'
    if (stream.match(/^"(\\.|[^"\\])*"|^'[^']*'/)) return 'string'
    if (stream.match(/^(true|false)\b/)) return 'bool'
    if (stream.match(/^[-+]?\d[\d_.eE+-]*/)) return 'number'
    if (stream.match(/^[\w-]+(?=\s*=)/)) return 'propertyName'
    stream.next()
    return null
  },
  languageData: { commentTokens: { line: '#' } },
})
