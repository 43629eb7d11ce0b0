import path from 'node:path'
import { defineConfig } from 'vitest/config'
import { documents } from './build/documents.ts'
import { gallery } from './build/gallery.ts'
import { lessons } from './build/lessons.ts'

const corpus = path.resolve(import.meta.dirname, '../tests/corpus')

// Drives the built page (web/dist) in a headless Chromium; `npm test` builds it first.
export default defineConfig({
  plugins: [gallery(corpus), lessons(path.resolve(import.meta.dirname, 'lessons'), corpus), documents(path.resolve(import.meta.dirname, '../docs'))],
  test: {
    include: ['web/tests/browser/**/*.test.ts'],
    environment: 'node',
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 60_000,
    // What a page shows follows what was done to it: tests wait for it, on a slow machine for long.
    expect: { poll: { timeout: 20_000 } },
    // A headless Chromium has drawn no frame for half a minute once, in CI; why is not known. A click waits
    // for two frames in which its element stands still. That alone is tried again; an element that moves, is covered or is missing has another message.
    retry: { count: 1, condition: /Timeout \d+ms exceeded[^]*waiting for element to be visible, enabled and stable(?:\x1b\[[\d;]*m|\s)*$/ },
  },
})
