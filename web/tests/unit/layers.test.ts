// The layers of the page: core knows neither Svelte nor the DOM, and one file knows WebAssembly.

import fs from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const source = path.resolve(import.meta.dirname, '../../src')
const read = (folder: string) => fs.readdirSync(path.join(source, folder)).map(name => [`${folder}/${name}`, fs.readFileSync(path.join(source, folder, name), 'utf8')] as const)
const core = read('core')
const all = [...core, ...read('ui')]

test('core imports nothing of the page and touches no DOM', () => {
  for (const [name, text] of core) {
    expect(text.match(/from '\.\.\/ui|from 'svelte|\b(document|window|localStorage)\./g) ?? [], name).toEqual([])
  }
})

test('only what the worker loads imports WebAssembly; others import types', () => {
  for (const [name, text] of all) {
    if (/^core\/packages(\.onefile)?\.ts$/.test(name)) continue
    const imports = text.match(/^(import|export) (?!type)[^;]*?from '[^']*pkg-[^']*'/gm) ?? []
    expect(imports, name).toEqual([])
  }
})

test('no file grows beyond what a reader holds', () => {
  for (const [name, text] of all) expect(text.split('\n').length, name).toBeLessThan(600)
})

test('no text becomes markup: icons, which are built in, are the only HTML', () => {
  for (const [name, text] of all) {
    if (name === 'ui/Icon.svelte') continue
    expect(text.match(/\{@html|innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|\beval\(|new Function/g) ?? [], name).toEqual([])
  }
})
