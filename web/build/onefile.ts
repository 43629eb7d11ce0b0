// The one-file copy (`vite build --mode onefile`): everything in one HTML file that works from
// a disk. Scripts and styles are inlined and allowed by their hashes, workers become blobs,
// and the engine is the single-threaded package, compressed, as base64.

import crypto from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

export const ONE_FILE = 'warpproof-offline.html'
const ENGINE = 'virtual:engine'

/** Answers the imports that differ in the one-file copy; the workers' build needs it too. */
export function engineInside(source: string): Plugin {
  return {
    name: 'warpproof-engine-inside',
    enforce: 'pre',
    resolveId(id, importer) {
      if (id === ENGINE) return '\0' + ENGINE
      if (id === './packages' && importer?.endsWith('worker.ts')) return path.join(source, 'core/packages.onefile.ts')
      return null
    },
    load(id) {
      if (id !== '\0' + ENGINE) return null
      const wasm = fs.readFileSync(path.join(source, 'pkg-single/warpproof_bg.wasm'))
      return `export default '${gzipSync(wasm, { level: 9 }).toString('base64')}'`
    },
    transform(code, id) {
      // wasm-bindgen's own way to find the file, which the page never takes, would inline it a second time.
      if (id.endsWith('pkg-single/warpproof.js')) return code.replace(/new URL\('warpproof_bg\.wasm', import\.meta\.url\)/, "''")
      return null
    },
  }
}

/** `new Worker(new URL('x', import.meta.url), …)` → a worker inlined in the script. */
export function inlineWorkers(): Plugin {
  const pattern = /new Worker\(\s*new URL\('([^']+)',\s*import\.meta\.url\),\s*\{[^}]*\}\s*\)/g
  return {
    name: 'warpproof-inline-workers',
    enforce: 'pre',
    transform(code, id) {
      if (id.includes('node_modules') || !pattern.test(code)) return null
      let imports = ''
      let count = 0
      const replaced = code.replace(pattern, (_, file: string) => {
        const name = `InlineWorker${count++}`
        imports += `import ${name} from '${file}?worker&inline'\n`
        return `new ${name}()`
      })
      if (/\.svelte$/.test(id)) return replaced.replace(/<script[^>]*>/, tag => `${tag}\n${imports}`)
      return imports + replaced
    },
  }
}

/** Puts the built script and style into the page and writes nothing else. */
export function oneFile(): Plugin {
  return {
    name: 'warpproof-one-file',
    apply: 'build',
    enforce: 'post',
    generateBundle: {
      order: 'post', // after Vite has put in what it knows only then
      handler(_, bundle) {
        const html = bundle['index.html']
        if (html?.type !== 'asset') return this.error('the one-file copy needs index.html')
        let page = String(html.source)
        const hashes: Record<'script' | 'style', string[]> = { script: [], style: [] }
        const hash = (kind: 'script' | 'style', text: string) => {
          hashes[kind].push(`'sha256-${crypto.createHash('sha256').update(text).digest('base64')}'`)
          return text
        }
        const scripts: string[] = []
        page = page.replace(/<link rel="(?:icon|manifest|modulepreload|apple-touch-icon)"[^>]*>\s*/g, '')
        page = page.replace(/<link rel="stylesheet"[^>]*href="\.\/([^"]+)"[^>]*>/g, (_, name: string) => {
          const file = bundle[name]
          if (file?.type !== 'asset') return this.error(`${name} is missing`)
          return `<style>${hash('style', String(file.source))}</style>`
        })
        page = page.replace(/<script type="module"[^>]*src="\.\/([^"]+)"[^>]*><\/script>\s*/g, (_, name: string) => {
          const file = bundle[name]
          if (file?.type !== 'chunk') return this.error(`${name} is missing`)
          scripts.push(file.code.replace(/<\/script/g, '<\\/script').replace(/<!--/g, '\\x3C!--'))
          return ''
        })
        page = page.replace('</body>', () => scripts.map(text => `<script type="module">${hash('script', text)}</script>`).join('') + '</body>')
        const policy = [
          "default-src 'none'",
          `script-src ${hashes.script.join(' ')} 'wasm-unsafe-eval'`,
          'worker-src blob:',
          `style-src ${hashes.style.join(' ')} 'nonce-warpproof'`,
          'img-src data:',
          "base-uri 'none'",
          "form-action 'none'",
        ].join('; ')
        page = page.replace('<head>', () => `<head>\n    <meta http-equiv="Content-Security-Policy" content="${policy}">`)
        const left = Object.values(bundle).filter(file => file.type === 'chunk' && !file.isEntry)
        if (left.length > 0) return this.error(`the one-file copy cannot hold ${left.map(({ fileName }) => fileName).join(', ')}`)
        for (const name of Object.keys(bundle)) delete bundle[name]
        this.emitFile({ type: 'asset', fileName: ONE_FILE, source: page })
      },
    },
  }
}
