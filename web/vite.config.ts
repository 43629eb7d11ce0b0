import { svelte } from '@sveltejs/vite-plugin-svelte'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { gallery } from './build/gallery.ts'

const here = path.dirname(fileURLToPath(import.meta.url))

// SharedArrayBuffer, and with it threads, exists only on pages that ask for isolation.
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}
// Without them (WARPPROOF_ISOLATED=0) the page must still work, on one thread.
const headers = process.env['WARPPROOF_ISOLATED'] === '0' ? {} : isolation

/** Nothing from elsewhere, nothing inline; the nonce is for the styles that CodeMirror inserts. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'nonce-warpproof'",
  "img-src 'self' data:",
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

export default defineConfig({
  base: './',
  plugins: [svelte({ configFile: false }), gallery(path.join(here, '../tests/corpus')), contentSecurityPolicy()],
  worker: { format: 'es' },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1500, // the examples are part of the page
    rolldownOptions: {
      // wasm-bindgen-rayon's workers import their own package; the warning is harmless.
      onLog: (level, log, handle) => (log.code === 'INEFFECTIVE_DYNAMIC_IMPORT' ? undefined : handle(level, log)),
    },
  },
  server: { headers },
  preview: { headers },
})
