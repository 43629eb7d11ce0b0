// The lessons of the page, read at build time from web/lessons: a step may name a case of the
// test corpus (`case = "data_race/pattern/rotate_no_barrier"`) in place of its texts, so what
// a lesson shows is what the tests hold.

import fs from 'node:fs'
import path from 'node:path'
import { parse } from 'smol-toml'
import type { Plugin } from 'vite'
import { readCase } from './gallery.ts'

const MODULE = 'virtual:lessons'

export function lessons(folder: string, corpus: string): Plugin {
  return {
    name: 'warpproof-lessons',
    resolveId: id => (id === MODULE ? '\0' + MODULE : null),
    load(id) {
      if (id !== '\0' + MODULE) return null
      const files = fs.readdirSync(folder).filter(name => name.endsWith('.toml')).sort()
      const all = files.map(name => {
        const file = path.join(folder, name)
        this.addWatchFile(file)
        const data = parse(fs.readFileSync(file, 'utf8')) as { step: Record<string, unknown>[] }
        const step = data.step.map(({ case: name, ...rest }) => {
          if (typeof name !== 'string') return rest
          const { input } = readCase(corpus, { case: `${name}.toml`, title: '', family: '' }, file => this.addWatchFile(file))
          return { ...input, ...rest }
        })
        return { ...data, step }
      })
      return `export default JSON.parse(${JSON.stringify(JSON.stringify(all))})`
    },
  }
}
