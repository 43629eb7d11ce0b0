// Where the page's own source is: the repository that package.json names; else, beside the built page, an
// archive of the commit that was built. Neither where there is no git, as in an unpacked archive.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'

const MODULE = 'virtual:source'
/** Not .tar.gz: servers take that for a file that they have packed themselves, and browsers unpack it. */
export const ARCHIVE = 'warpproof-source.tgz'

/** The address of the repository that package.json names, for a browser; null where it names none. */
export function repository(manifest: string): string | null {
  const named = (JSON.parse(manifest) as { repository?: string | { url?: string } }).repository
  const address = typeof named === 'string' ? named : named?.url
  if (!address) return null
  const short = /^(?:github:)?([\w.-]+\/[\w.-]+)$/.exec(address)
  const web = short ? `https://github.com/${short[1]}` : address.replace(/^git\+/, '').replace(/^(?:git:\/\/|ssh:\/\/git@|git@([^:]+):)/, (_, host?: string) => `https://${host ? `${host}/` : ''}`).replace(/\.git$/, '')
  return /^https?:\/\//.test(web) ? web : null
}

/** The files of the commit that is checked out, packed; null where git does not have them. */
export function archive(root: string): Uint8Array | null {
  const git = (args: string[]) => spawnSync('git', args, { cwd: root, maxBuffer: 1 << 30 })
  const top = git(['rev-parse', '--show-toplevel'])
  // An unpacked archive inside another project's repository is not that project.
  if (top.status !== 0 || fs.realpathSync(top.stdout.toString().trim()) !== fs.realpathSync(root)) return null
  const packed = git(['archive', '--format=tar.gz', '--prefix=warpproof/', 'HEAD'])
  return packed.status === 0 && packed.stdout.length > 0 ? packed.stdout : null
}

/** Tells the page where its source is. `beside`: this build may put the archive beside the page. */
export function source(root: string, beside: boolean): Plugin {
  let packed: Uint8Array | null = null
  return {
    name: 'warpproof-source',
    resolveId: id => (id === MODULE ? '\0' + MODULE : null),
    load(id) {
      if (id !== '\0' + MODULE) return null
      const address = repository(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
      if (!address && beside && this.meta.watchMode !== true) packed = archive(root)
      return `export default ${JSON.stringify(address ?? (packed ? `./${ARCHIVE}` : null))}`
    },
    generateBundle() {
      if (packed) this.emitFile({ type: 'asset', fileName: ARCHIVE, source: packed })
    },
  }
}
