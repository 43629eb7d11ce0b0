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
    if (/^core\/packages(\.onefile|\.quick)?\.ts$/.test(name)) continue
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
    // Formulas are read as XML, and only known MathML elements and attributes are built from that.
    if (name === 'ui/mathml.ts') {
      expect(text).toContain("parseFromString(text, 'application/xml')")
      expect(text.match(/innerHTML|outerHTML|insertAdjacentHTML|text\/html|importNode|adoptNode/g) ?? []).toEqual([])
      continue
    }
    expect(text.match(/\{@html|innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|srcdoc|\beval\(|new Function/g) ?? [], name).toEqual([])
  }
})

/** Components whose English has moved to text.ts; the evidence tabs still hold some of their own. */
const translated = /^ui\/(App|AssumptionsTab|DropTarget|Editors?|ExamplePicker|Header|HelpDialog|LaunchStrip|LessonBar|Notice|ParameterChip|Place|PrintSheet|Reproduced|Results|Running|ScalarFields|Later|ShareDialog|SpecForm|TensorFields|ThemeButton|ToolError|Verdict\w+|VerifyButton)\.svelte$/

test('the page’s English is in text.ts', () => {
  const checked = all.filter(([name]) => translated.test(name))
  expect(checked.length).toBeGreaterThan(20)
  for (const [name, text] of checked) {
    let markup = text.replace(/<script[^]*?<\/script>|<style[^]*?<\/style>|<!--[^]*?-->/g, '')
    // Innermost braces first: what is computed is no text.
    for (let before = ''; before !== markup; ) {
      before = markup
      markup = markup.replace(/\{[^{}]*\}/g, '')
    }
    const words = [...markup.matchAll(/>([^<>]*[A-Za-z]{2,}[^<>]*)</g), ...markup.matchAll(/\b(?:title|aria-label|placeholder|alt)="([^"]*[A-Za-z]{2,}[^"]*)"/g)].map(match => match[1]!.trim())
    expect(words.filter(word => !/^(Warpproof|\(CUDA \))?$/.test(word)), name).toEqual([])
  }
})
