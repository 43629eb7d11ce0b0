// The example gallery, read at build time from the test corpus: tests/corpus/gallery.toml
// names cases; a case is a spec with its PTX files, and its folder is its verdict. So
// every example on the page is a test, and the page promises what the tests hold it to.

import fs from 'node:fs'
import path from 'node:path'
import { parse } from 'smol-toml'
import type { Plugin } from 'vite'

/** Every example with its texts (tests); every example without, but the first (the page); the texts by example (the page, when one is chosen). */
const MODULES = ['virtual:gallery', 'virtual:gallery-list', 'virtual:gallery-texts']

interface Entry {
  case: string
  title: string
  family: string
  text?: string
}

export function gallery(corpus: string): Plugin {
  return {
    name: 'warpproof-gallery',
    resolveId: id => (MODULES.includes(id) ? '\0' + id : null),
    load(id) {
      if (!MODULES.includes(id.slice(1))) return null
      const index = path.join(corpus, 'gallery.toml')
      this.addWatchFile(index)
      const listed = (parse(fs.readFileSync(index, 'utf8'))['example'] ?? []) as unknown as Entry[]
      const examples = listed.map(entry => readCase(corpus, entry, file => this.addWatchFile(file)))
      if (id.endsWith('texts')) return `export default ${asText(Object.fromEntries(examples.map(({ id, input }) => [id, input])))}`
      return `export default ${asText(id.endsWith('list') ? examples.map((example, at) => (at === 0 ? example : { ...example, input: null })) : examples)}`
    },
  }
}

/** As a string that is parsed: browsers read that faster than a literal of this size. */
const asText = (data: unknown) => `JSON.parse(${JSON.stringify(JSON.stringify(data))})`

export function readCase(corpus: string, entry: Entry, watch: (file: string) => void) {
  const file = path.join(corpus, entry.case)
  const text = read(file)
  const data = parse(text) as Record<string, { ptx?: string } | undefined>
  const side = (name: string) => {
    const relative = data[name]?.ptx
    return relative === undefined ? '' : read(path.join(path.dirname(file), relative))
  }
  function read(name: string): string {
    if (!fs.existsSync(name)) throw new Error(`gallery.toml: the case “${entry.case}” needs ${name}, which does not exist`)
    watch(name)
    return fs.readFileSync(name, 'utf8')
  }
  return {
    id: entry.case.replace(/\.toml$/, ''),
    title: entry.title,
    family: entry.family,
    text: entry.text ?? '',
    verdict: entry.case.split('/')[0],
    input: {
      reference: side('reference'),
      optimized: side('optimized'),
      // The page holds the texts themselves, so the paths say nothing there.
      spec: text.replace(/^ptx\s*=.*\n/gm, '').replace(/^\[(reference|optimized)\]\n(?=\s*(\[|$))/gm, '').replace(/\n{3,}/g, '\n\n'),
      single: data['reference'] === undefined,
    },
  }
}
