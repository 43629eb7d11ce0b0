// Writes sw.js beside the built page: web/src/sw.ts without its types, and before it the
// list of files to keep with their hashes. The one-file copy and the archive of the source are for
// other computers and not kept; neither is sw.js itself, which browsers look after.

import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { transformWithOxc, type Plugin } from 'vite'
import { ARCHIVE } from './source.ts'

export function serviceWorker(source: string): Plugin {
  return {
    name: 'warpproof-service-worker',
    apply: 'build',
    async writeBundle({ dir }) {
      if (!dir) return
      const files: Record<string, string> = {}
      for (const name of fs.readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()) {
        const full = path.join(dir, name)
        const relative = name.split(path.sep).join('/')
        if (fs.statSync(full).isDirectory() || relative === 'sw.js' || relative.startsWith('warpproof-offline') || relative === ARCHIVE) continue
        files[relative] = 'sha256-' + crypto.createHash('sha256').update(fs.readFileSync(full)).digest('base64')
      }
      const version = crypto.createHash('sha256').update(JSON.stringify(files)).digest('hex').slice(0, 12)
      const { code } = await transformWithOxc(fs.readFileSync(source, 'utf8'), source)
      fs.writeFileSync(path.join(dir, 'sw.js'), `const VERSION = '${version}'\nconst FILES = ${JSON.stringify(files)}\n${code.replace(/^\s*\/\/.*\n/gm, '')}`)
    },
  }
}
