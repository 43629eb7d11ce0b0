// Builds the page: web/dist, a folder for any static host, with the one-file copy in it; or
// target/page, which `npm start` serves.

import path from 'node:path'
import { root, step } from './step.mjs'

const vite = path.join(root, 'node_modules/vite/bin/vite.js')

export async function buildPage() {
  await step('building the page', process.execPath, [vite, 'build', 'web', '--logLevel', 'warn'])
  await step('building the one-file copy', process.execPath, [vite, 'build', 'web', '--mode', 'onefile', '--logLevel', 'warn'])
}

export function buildQuickPage() {
  return step('building the page', process.execPath, [vite, 'build', 'web', '--mode', 'quick', '--logLevel', 'warn'])
}
