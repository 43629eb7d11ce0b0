import { svelte } from '@sveltejs/vite-plugin-svelte'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { documents } from './build/documents.ts'
import { gallery } from './build/gallery.ts'
import { lessons } from './build/lessons.ts'
import { engineInside, inlineWorkers, oneFile } from './build/onefile.ts'
import { preloadPage } from './build/preload.ts'
import { oneEngine } from './build/quick.ts'
import { serviceWorker } from './build/service-worker.ts'
import { source as sourceCode } from './build/source.ts'

const here = path.dirname(fileURLToPath(import.meta.url))

// SharedArrayBuffer, and with it threads, exists only on pages that ask for isolation. Hosts
// that cannot send these headers need not: the service worker adds them.
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}
// Without them (WARPPROOF_ISOLATED=0) the page must still work.
const headers = process.env['WARPPROOF_ISOLATED'] === '0' ? {} : isolation

/** Nothing from elsewhere, nothing inline; the nonce is for the styles that CodeMirror inserts. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'nonce-warpproof'",
  "img-src 'self' data:",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

function contentSecurityPolicy(): Plugin {
  return {
    name: 'warpproof-csp',
    apply: 'build',
    transformIndexHtml: () => [{ tag: 'meta', injectTo: 'head-prepend', attrs: { 'http-equiv': 'Content-Security-Policy', content: policy } }],
  }
}

const onLog = (level: 'warn' | 'info' | 'debug', log: { code?: string }, handle: (level: 'warn' | 'info' | 'debug', log: never) => void) =>
  // wasm-bindgen-rayon's workers import their own package; the warning is harmless.
  log.code === 'INEFFECTIVE_DYNAMIC_IMPORT' ? undefined : handle(level, log as never)

/** How long plugins took is of no use to somebody who builds the page. */
const checks = { pluginTimings: false }

/** What is needed before the page is loaded, and what the page and its later parts share: a file each. */
const groups = [
  { name: 'start', test: /svelte\/src\/|src\/text\.ts|src\/ui\/(engines|offline\.svelte)\.ts|preload-helper/, priority: 2 },
  { name: 'shared', test: /src\/ui\/(Icon|Place|Prose|Editor)\.svelte|src\/ui\/(computes|mathml)\.ts/, priority: 1 },
]

const corpus = path.join(here, '../tests/corpus')
const source = path.join(here, 'src')
const root = path.join(here, '..')

/** `vite build` makes the folder; `vite build --mode onefile`, after it, adds the one-file copy.
 * `--mode quick` is what `npm start` builds and serves. */
export default defineConfig(({ mode }) =>
  mode === 'onefile'
    ? {
        base: './',
        publicDir: false,
        plugins: [engineInside(source), inlineWorkers(), svelte({ configFile: false }), gallery(corpus), lessons(path.join(here, 'lessons'), corpus), documents(path.join(here, '../docs')), sourceCode(root, false), oneFile()],
        worker: { format: 'iife', plugins: () => [engineInside(source)], rolldownOptions: { checks } },
        build: {
          target: 'es2022',
          emptyOutDir: false,
          assetsInlineLimit: 0,
          cssCodeSplit: false,
          modulePreload: false,
          chunkSizeWarningLimit: 10_000,
          rolldownOptions: { checks, output: { codeSplitting: false } },
        },
      }
    : {
        base: './',
        plugins: [...(mode === 'quick' ? [oneEngine(source)] : []), svelte({ configFile: false }), gallery(corpus), lessons(path.join(here, 'lessons'), corpus), documents(path.join(here, '../docs')), sourceCode(root, true), contentSecurityPolicy(), preloadPage(path.join(source, 'ui/page.ts')), serviceWorker(path.join(source, 'sw.ts'))],
        worker: { format: 'es', plugins: () => (mode === 'quick' ? [oneEngine(source)] : []), rolldownOptions: { checks } },
        build: {
          ...(mode === 'quick' && { outDir: path.join(here, '../target/page'), emptyOutDir: true }),
          target: 'es2022',
          assetsInlineLimit: 0,
          modulePreload: { polyfill: false },
          chunkSizeWarningLimit: 1500, // the examples are part of the page
          rolldownOptions: { onLog, checks, output: { codeSplitting: { groups } } },
        },
        server: { headers },
        preview: { headers },
      },
)
