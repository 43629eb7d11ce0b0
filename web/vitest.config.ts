import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { gallery } from './build/gallery.ts'

export default defineConfig({
  plugins: [gallery(path.resolve(import.meta.dirname, '../tests/corpus'))],
  test: { include: ['web/tests/unit/**/*.test.ts'], environment: 'node' },
})
