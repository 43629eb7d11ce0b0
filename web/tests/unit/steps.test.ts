import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { archive, repository } from '../../build/source'

const root = path.resolve(import.meta.dirname, '../../..')
const steps = (await import(path.join(root, 'tools/step.mjs'))) as {
  ownAddress: (output: string) => string
  left: (usual: number, elapsed: number) => string
  forecast: (before: number, elapsed: number, crates: { done: number; all: number; lastSince?: number | null }, last: number) => number
}

test('a step that takes minutes says how long it will take on, and when that was wrong', () => {
  expect(steps.left(0, 30)).toBe('')
  expect(steps.left(200, 20)).toBe('; about 3 min more')
  expect(steps.left(200, 150)).toBe('; about 50 s more')
  expect(steps.left(200, 198)).toBe('; nearly done')
  expect(steps.left(200, 300)).toBe('; longer than expected')
})

test('the last crate, which is most of a compile, is part of its estimate', () => {
  // As somebody saw it on a busy machine, where 100 s were expected and it took 514 s.
  const seen = [[100, 48], [140, 77], [180, 106], [200, 121]] as const
  for (const [elapsed, done] of seen) {
    const all = steps.forecast(100, elapsed, { done, all: 128 }, 0.57)
    expect(all).toBeGreaterThan(350)
    expect(all).toBeLessThan(620)
  }
  const last = steps.forecast(100, 240, { done: 127, all: 128, lastSince: 220 }, 0.57)
  expect(Math.round(last)).toBe(512)
  expect(steps.left(last, 240)).toBe('; about 5 min more')
  // Before the first crate, and where nobody weighs the last one, what was expected holds.
  expect(steps.forecast(100, 10, { done: 0, all: 128 }, 0.57)).toBe(100)
  expect(steps.forecast(30, 10, { done: 20, all: 68 }, 0)).toBe(30)
})

test('`npm start` says which steps run at the same time, and nothing about other hosts', () => {
  const start = fs.readFileSync(path.join(root, 'tools/start.mjs'), 'utf8')
  expect(start.indexOf('sideBySide(')).toBeLessThan(start.indexOf('await Promise.all([installPackages()'))
  const [local, others] = ['  ➜  Local:   http://localhost:4173/\n', '\u001b[2m  ➜  Network: use \u001b[1m--host\u001b[22m to expose\n']
  expect(steps.ownAddress(local + others)).toBe(local)
  expect(steps.ownAddress('  ➜  Network: use --host to expose\n')).toBe('')
})

test('the compiles of the engine, which take longest, have an estimate', () => {
  const wasm = fs.readFileSync(path.join(root, 'tools/wasm.mjs'), 'utf8')
  const compile = /await step\(`compiling the engine[^]*?\n {2}\}\)/.exec(wasm)![0]
  expect(compile).toMatch(/usual: /)
})

test('the source is in the repository that package.json names', () => {
  const of = (repo: unknown) => repository(JSON.stringify({ repository: repo }))
  expect(of(undefined)).toBeNull()
  expect(of('github:a/b')).toBe('https://github.com/a/b')
  expect(of({ type: 'git', url: 'git+https://example.org/a/b.git' })).toBe('https://example.org/a/b')
  expect(of({ url: 'git@example.org:a/b.git' })).toBe('https://example.org/a/b')
  expect(of({ url: 'file:///home/a' })).toBeNull()
})

test('the archive of the source holds the commit; there is none where git has no files', { timeout: 60_000 }, () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'warpproof-'))
  expect(archive(folder)).toBeNull()
  const git = (...args: string[]) => spawnSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], { cwd: folder })
  git('init', '-q')
  expect(archive(folder)).toBeNull()
  fs.writeFileSync(path.join(folder, 'README.md'), 'Read me.\n')
  git('add', '.')
  git('commit', '-qm', 'First')
  fs.mkdirSync(path.join(folder, 'inside'))
  expect(archive(path.join(folder, 'inside'))).toBeNull()
  const packed = archive(folder)!
  const listed = spawnSync('tar', ['-tzf', '-'], { input: packed })
  expect(listed.stdout.toString().split('\n')).toContain('warpproof/README.md')
  fs.rmSync(folder, { recursive: true })
})

test.each(['production', 'onefile', 'quick'])('the %s build does not say how long plugins took', async mode => {
  const { default: config } = (await import('../../vite.config')) as { default: (env: { mode: string }) => { build: { rolldownOptions: object }; worker: { rolldownOptions: object } } }
  const { build, worker } = config({ mode })
  expect(build.rolldownOptions).toMatchObject({ checks: { pluginTimings: false } })
  expect(worker.rolldownOptions).toMatchObject({ checks: { pluginTimings: false } })
})

test('`npm start` says at its beginning what it takes and what it installs', () => {
  const start = fs.readFileSync(path.join(root, 'tools/start.mjs'), 'utf8')
  const said = start.search(/say\('On two cores .*installed/)
  expect(said).toBeGreaterThan(0)
  expect(said).toBeLessThan(start.indexOf('installPackages(), buildWasm(engine)'))
  const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8')
  expect(readme).toMatch(/Rust 1\.\d+ or later, and Node \d+\.\d+ or later/)
  expect(readme).toMatch(/minutes and [\d.]+ GB of disk/)
})
