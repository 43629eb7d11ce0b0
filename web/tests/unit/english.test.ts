// The page's English is in web/src/text.ts and text-tabs.ts, so that it can be translated: no component holds any.

import fs from 'node:fs'
import path from 'node:path'
import { parse } from 'svelte/compiler'
import { expect, test } from 'vitest'

const ui = path.resolve(import.meta.dirname, '../../src/ui')
const components = fs.readdirSync(ui).filter(name => name.endsWith('.svelte'))
/** Attributes that a person reads or hears. */
const READ = new Set(['title', 'aria-label', 'aria-description', 'aria-roledescription', 'aria-valuetext', 'placeholder', 'alt', 'label'])
/** What is no English: names, units, file types and notation. */
const NAMES = new Set(['Warpproof', 'PTX', 'CUDA', 'TOML', 'GitHub', 'Σ', 'ms', 's'])

type Tree = { type?: string; name?: string; data?: string; value?: unknown; raw?: string; [key: string]: unknown }

/** Every English literal of a template: texts, attributes that are read, and strings in expressions among them. */
function english(source: string): string[] {
  const found: string[] = []
  const words = (text: string) => (text.match(/\p{L}+/gu) ?? []).filter(word => !NAMES.has(word))
  const take = (text: string) => {
    if (words(text).length > 0) found.push(text.trim())
  }
  /** Strings that an expression may show; not those that it compares with, indexes by or passes on. */
  const shown = (node: Tree): void => {
    switch (node.type) {
      case 'Literal':
        if (typeof node['value'] === 'string') take(node['value'])
        return
      case 'TemplateLiteral':
        for (const quasi of node['quasis'] as { value: { cooked: string } }[]) take(quasi.value.cooked)
        return
      case 'ConditionalExpression':
        shown(node['consequent'] as Tree)
        shown(node['alternate'] as Tree)
        return
      case 'LogicalExpression':
      case 'BinaryExpression':
        if (!['||', '??', '&&', '+'].includes(String(node['operator']))) return
        shown(node['left'] as Tree)
        shown(node['right'] as Tree)
    }
  }
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(walk)
    if (node === null || typeof node !== 'object' || Array.isArray(node)) return
    const tree = node as Tree
    switch (tree.type) {
      case 'Text':
        take(tree.data ?? '')
        return
      case 'ExpressionTag':
        shown(tree['expression'] as Tree)
        return
      case 'Attribute':
        // Handlers and snippets hold no text of their own.
        if (!READ.has(tree.name ?? '')) return
        walk(tree.value)
        return
      case 'StyleSheet':
      case 'Comment':
        return
    }
    // Only what is rendered: the fragments below blocks and elements, and their attributes.
    for (const key of ['nodes', 'attributes', 'fragment', 'body', 'consequent', 'alternate', 'fallback', 'pending', 'then', 'catch']) walk(tree[key])
  }
  walk(parse(source, { modern: true }).fragment)
  return found
}

test('the check sees texts, attributes and strings in expressions, and nothing else', () => {
  expect(english('<p>Hello <b>there</b></p>')).toEqual(['Hello', 'there'])
  expect(english('<button title="Close it" aria-label={big ? `Large ${x}` : "Small"}></button>')).toEqual(['Close it', 'Large', 'Small'])
  expect(english('{#if x}Yes{:else}{#each y as z (z)}No {z}{/each}{/if}{#snippet s()}Maybe{/snippet}{#await p then q}Then{/await}')).toEqual(['Yes', 'No', 'Maybe', 'Then'])
  expect(english('<p class="note">{text.note}: {count} × 3 ms {kind === "open" ? "…" : ""}</p><a href="https://example.org">Warpproof</a>')).toEqual([])
  expect(english('<Icon name="check" />{names.map(name => "a" + name).join(", ")}<input type="text" onclick={() => go("there")} />')).toEqual([])
})

/** Sentences that readers did not understand, as far as they can be told from others. */
const PUZZLES = [
  /With one more line the kernel was run again/, /reaches the kernel prints/, /who will not come/i, /folded into good news/, /a smaller problem, which shows the same code/,
  /give the tensor that decides/, /\d+ like `|count\) => `\$\{count\} like/, /it is of version/, /which this page does not know/, /the kernel holds in|'holds in'/,
]

test('sentences that readers did not understand are gone from the page, the engine and the documents', () => {
  const root = path.resolve(import.meta.dirname, '../../..')
  const under = (folder: string): string[] => fs.readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map(name => path.join(folder, name))
  const texts = [...under('crate/src'), ...under('docs'), ...under('web/src').filter(name => !name.includes('pkg-')), ...under('web/lessons'), 'README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md'].filter(name => /\.(rs|md|ts|svelte|toml)$/.test(name))
  expect(texts.length).toBeGreaterThan(300)
  for (const name of texts) {
    const text = fs.readFileSync(path.join(root, name), 'utf8')
    for (const puzzle of PUZZLES) expect(puzzle.test(text), `${name}: ${puzzle}`).toBe(false)
  }
  // The check sees them.
  const old = ['thread 0 reaches the kernel prints', 'threads 1–31, who will not come', '1 like `arg2[0]`', "shows: 'holds in'"]
  for (const sentence of old) expect(PUZZLES.some(puzzle => puzzle.test(sentence)), sentence).toBe(true)
})

test.each(components)('%s holds no English of its own', name => {
  expect(english(fs.readFileSync(path.join(ui, name), 'utf8'))).toEqual([])
})

test('nor do the scripts beside the components', () => {
  // A sentence: a string with two words and a blank between them, in code that is no import, class or selector.
  for (const name of fs.readdirSync(ui)) {
    const source = fs.readFileSync(path.join(ui, name), 'utf8')
    const script = name.endsWith('.svelte') ? (source.match(/<script[\s\S]*?<\/script>/)?.[0] ?? '') : name.endsWith('.ts') ? source : ''
    const code = script.replace(/^\s*\/\/.*$/gm, '').replace(/\/\*[\s\S]*?\*\//g, '')
    const sentences = [...code.matchAll(/(['"`])((?:[^'"`\\\n]|\\.)*)\1/g)].map(match => match[2]!).filter(text => /^[A-Z][a-z]+ [a-z]+ ?/.test(text))
    expect(sentences, name).toEqual([])
  }
})
