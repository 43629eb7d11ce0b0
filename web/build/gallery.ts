// The example gallery, read at build time from the test corpus: tests/corpus/gallery.toml
// names cases; a case is a spec with its PTX files, and its folder is its verdict. So
// every example on the page is a test, and the page promises what the tests hold it to.

import fs from 'node:fs'
import path from 'node:path'
import { parse } from 'smol-toml'
import type { Plugin } from 'vite'
import { sourceFiles } from '../src/core/cuda.ts'

/** What a module holds of the examples: all with their texts is for tests, the others are for the page, one by one as they are needed. */
const MODULES: Record<string, (examples: Example[], corpus: string) => unknown> = {
  'virtual:gallery': examples => examples,
  'virtual:gallery-first': ([first]) => first,
  'virtual:gallery-list': examples => examples.map(({ input: _, ...example }) => example),
  'virtual:gallery-texts': examples => Object.fromEntries(examples.map(({ id, input }) => [id, input])),
  'virtual:gallery-sources': (examples, corpus) => sourcesOf(examples, path.join(corpus, 'kernels')),
}

type Example = ReturnType<typeof readCase>

interface Entry {
  case: string
  title: string
  family: string
  text?: string
}

export function gallery(corpus: string): Plugin {
  return {
    name: 'warpproof-gallery',
    resolveId: id => (Object.hasOwn(MODULES, id) ? '\0' + id : null),
    load(id) {
      const part = Object.hasOwn(MODULES, id.slice(1)) && MODULES[id.slice(1)]
      if (!part) return null
      const index = path.join(corpus, 'gallery.toml')
      this.addWatchFile(index)
      const listed = (parse(fs.readFileSync(index, 'utf8'))['example'] ?? []) as unknown as Entry[]
      const examples = listed.map(entry => readCase(corpus, entry, file => this.addWatchFile(file)))
      return `export default ${asText(part(examples, corpus))}`
    },
  }
}

/** As a string that is parsed: browsers read that faster than a literal of this size. */
const asText = (data: unknown) => `JSON.parse(${JSON.stringify(JSON.stringify(data))})`

/** The sources that the examples were compiled from, by the names that their PTX has for them. */
function sourcesOf(examples: Example[], folder: string): Record<string, string> {
  const named = examples.flatMap(({ input }) => [input.reference, input.optimized]).flatMap(ptx => [...sourceFiles(ptx).values()])
  const files = [...new Set(named)].sort().map(name => [name, path.join(folder, name)] as const)
  // Headers of the compiler are not in the corpus.
  return Object.fromEntries(files.filter(([name, file]) => !path.isAbsolute(name) && fs.existsSync(file)).map(([name, file]) => [name, fs.readFileSync(file, 'utf8')]))
}

export function readCase(corpus: string, entry: Entry, watch: (file: string) => void) {
  const file = path.join(corpus, entry.case)
  const text = read(file)
  const data = parse(text) as Record<string, { ptx?: string; code?: string } | undefined>
  const formula = data['formula']?.code
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
      reference: formula ?? side('reference'),
      optimized: side('optimized'),
      // The page holds the texts themselves, so the paths say nothing there, and a formula is the reference's text.
      spec: text.replace(/^\[formula\]\ncode = ('{3}|"{3})[^]*?\1\n/m, '').replace(/^ptx\s*=.*\n/gm, '').replace(/^\[(reference|optimized)\]\n(?=\s*(\[|$))/gm, '').replace(/\n{3,}/g, '\n\n'),
      single: data['reference'] === undefined && formula === undefined,
    },
  }
}
