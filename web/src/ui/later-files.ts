// Hands files on to what reads them, which is fetched when it is needed.

import { text } from '../text'
import type { Side } from '../core/protocol'
import { laterFiles } from './later'
import { session } from './session.svelte'

export async function takeFiles(files: readonly File[], side: Side | null): Promise<void> {
  const reader = await laterFiles().catch(() => null)
  if (reader) await reader.openFiles(files, side)
  else session.notice = { tone: 'warn', text: text.notFetched }
}
