// Only what has to happen before the page is loaded: isolation, which takes a reload where
// the server does not give it, and the start of the engine, which takes longest.

import { startRunner } from './ui/engines'
import { offline } from './ui/offline.svelte'
import './ui/theme.css'

if (!(await offline.isolate())) {
  startRunner()
  const { mountPage } = await import('./ui/page')
  mountPage(document.getElementById('app')!)
}
