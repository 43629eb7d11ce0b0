// The question at hand, kept for this tab, so that a reload does not lose it. Nothing leaves the browser.

import type { Input } from '../core/protocol'

const KEY = 'warpproof.work'

/** A question, the address's fragment that it was edited under, and whether it had been asked. */
export interface Kept {
  input: Input
  fragment: string
  asked: boolean
}

/** Keeps a question, or none. Where there is no room, an older one is not shown in its place. */
export function keep(work: Kept | null): void {
  try {
    sessionStorage.removeItem(KEY)
    if (work) sessionStorage.setItem(KEY, JSON.stringify(work))
  } catch {
    // No storage, or too little: a reload begins anew.
  }
}

/** What was kept under this fragment. */
export function kept(fragment: string): Kept | null {
  try {
    const work: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')
    return isKept(work) && work.fragment === fragment ? work : null
  } catch {
    return null
  }
}

function isKept(work: unknown): work is Kept {
  if (typeof work !== 'object' || work === null || !('input' in work) || !('fragment' in work) || !('asked' in work)) return false
  const { input } = work
  if (typeof input !== 'object' || input === null) return false
  const texts = ['reference', 'optimized', 'spec'].every(key => typeof Reflect.get(input, key) === 'string')
  return texts && typeof Reflect.get(input, 'single') === 'boolean' && typeof work.fragment === 'string' && typeof work.asked === 'boolean'
}

/** The address no longer says what is on the page: a link in it would be another question's. */
export function leaveLink(): void {
  if (window.location.hash !== '') history.replaceState(null, '', window.location.pathname + window.location.search)
}
