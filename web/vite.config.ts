import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vite'

// SharedArrayBuffer, and with it threads, exists only on pages that ask for isolation.
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}
// Without them (WARPPROOF_ISOLATED=0) the page must still work, on one thread.
const headers = process.env.WARPPROOF_ISOLATED === '0' ? {} : isolation

export default defineConfig({
  base: './',
  plugins: [svelte()],
  worker: { format: 'es' },
  build: { target: 'es2022', assetsInlineLimit: 0 },
  server: { headers },
  preview: { headers },
})
