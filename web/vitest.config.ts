import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { gallery } from './build/gallery.ts'
import { lessons } from './build/lessons.ts'

const corpus = path.resolve(import.meta.dirname, '../tests/corpus')

export default defineConfig({
  plugins: [gallery(corpus), lessons(path.resolve(import.meta.dirname, 'lessons'), corpus)],
  test: { include: ['web/tests/unit/**/*.test.ts'], environment: 'node', testTimeout: 60_000 },
})
