import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { documents } from './build/documents.ts'
import { gallery } from './build/gallery.ts'
import { lessons } from './build/lessons.ts'

const corpus = path.resolve(import.meta.dirname, '../tests/corpus')

export default defineConfig({
  plugins: [gallery(corpus), lessons(path.resolve(import.meta.dirname, 'lessons'), corpus), documents(path.resolve(import.meta.dirname, '../docs'))],
  test: { include: ['web/tests/unit/**/*.test.ts'], environment: 'node', testTimeout: 60_000 },
})
