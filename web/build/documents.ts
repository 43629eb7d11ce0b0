// The documents of docs/, read at build time as data, so that the page shows them without markup of
// its own and carries them offline. What Markdown writes is cut down to what core/documents.ts names.

import fs from 'node:fs'
import path from 'node:path'
import { lexer, type Token, type Tokens } from 'marked'
import type { Plugin } from 'vite'
import type { Block, Document, Inline } from '../src/core/documents.ts'

const MODULE = 'virtual:documents'
/** In the order in which they are listed; a document that is missing here fails the build. */
const ORDER = ['verdicts', 'semantics', 'spec', 'formulas', 'operators', 'contracts', 'command-line', 'python', 'instructions', 'trust', 'performance', 'lessons', 'deploy']

export function documents(folder: string): Plugin {
  return {
    name: 'warpproof-documents',
    resolveId: id => (id === MODULE ? '\0' + MODULE : null),
    load(id) {
      if (id !== '\0' + MODULE) return null
      const found = fs.readdirSync(folder).filter(name => name.endsWith('.md')).map(name => name.slice(0, -3))
      const unlisted = found.filter(name => !ORDER.includes(name))
      if (unlisted.length > 0) throw new Error(`docs/${unlisted[0]}.md is not in the list of web/build/documents.ts`)
      const all = ORDER.map(name => {
        const file = path.join(folder, `${name}.md`)
        this.addWatchFile(file)
        return readDocument(name, fs.readFileSync(file, 'utf8'))
      })
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(all))})`
    },
  }
}

export function readDocument(name: string, markdown: string): Document {
  const [first, ...blocks] = lexer(markdown).flatMap(blocksOf)
  if (first === undefined || !('heading' in first) || first.level !== 1) throw new Error(`docs/${name}.md does not begin with its title`)
  return { name, title: first.heading.map(plain).join(''), blocks }
}

function blocksOf(token: Token): Block[] {
  switch (token.type) {
    case 'space':
    case 'html': // comments: the marks of what tools write
    case 'def':
      return []
    case 'heading':
      return [{ heading: inlines(token.tokens), level: (token as Tokens.Heading).depth }]
    case 'paragraph':
    case 'text':
      return [{ paragraph: token.tokens ? inlines(token.tokens) : [unescaped(token.raw)] }]
    case 'code':
      return [{ code: (token as Tokens.Code).text }]
    case 'list':
      return [{ list: (token as Tokens.List).items.map(({ tokens }) => tokens.flatMap(blocksOf)), ordered: (token as Tokens.List).ordered }]
    case 'table': {
      const { header, rows } = token as Tokens.Table
      return [{ head: header.map(({ tokens }) => inlines(tokens)), rows: rows.map(row => row.map(({ tokens }) => inlines(tokens))), right: header.map(({ align }) => align === 'right') }]
    }
    default:
      throw new Error(`docs: the page does not show Markdown’s ${token.type}: ${token.raw.slice(0, 60)}`)
  }
}

function inlines(tokens: Token[] | undefined): Inline[] {
  return (tokens ?? []).flatMap((token): Inline[] => {
    switch (token.type) {
      case 'text':
      case 'escape':
        return 'tokens' in token && token.tokens ? inlines(token.tokens) : [unescaped(token['text'] as string)]
      case 'codespan':
        return [{ code: unescaped(token['text'] as string) }]
      case 'strong':
        return [{ strong: inlines(token.tokens) }]
      case 'em':
        return [{ em: inlines(token.tokens) }]
      case 'br':
        return [{ line: true }]
      case 'html':
        return token.raw === '<br>' ? [{ line: true }] : []
      case 'link': {
        const { href, tokens: inside } = token as Tokens.Link
        const document = /^(?:docs\/)?([a-z-]+)\.md(?:#.*)?$/.exec(href)?.[1]
        if (document !== undefined && ORDER.includes(document)) return [{ document, inside: inlines(inside) }]
        // Files of the repository are not on the page.
        return /^https?:/.test(href) ? [{ address: href, inside: inlines(inside) }] : inlines(inside)
      }
      default:
        throw new Error(`docs: the page does not show Markdown’s ${token.type}: ${token.raw.slice(0, 60)}`)
    }
  })
}

const unescaped = (text: string): string => text.replace(/&(lt|gt|amp|quot|#39);/g, (_, name: string) => ({ lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'" })[name]!)

const plain = (inline: Inline): string => (typeof inline === 'string' ? inline : 'code' in inline ? inline.code : '')
