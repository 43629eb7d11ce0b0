// The visitor's own questions, kept for this tab by their place in its history, so that neither a reload nor a link that
// is opened in the address bar loses them. Nothing leaves the browser.

import type { Input } from '../core/protocol'
import type { Whole } from './past'

const KEY = 'warpproof.work'
/** Places whose work is kept, at most. */
const MOST = 8

/** A question, where it was written, and whether it had been asked. */
export interface Kept {
  place: string
  input: Input
  asked: boolean
}

/** The name of the place in the tab's history that the page is at, which a reload does not change; null where it has none yet. */
export function place(): string | null {
  const state: unknown = history.state
  return typeof state === 'object' && state !== null && 'place' in state && typeof state.place === 'string' ? state.place : null
}

/** Gives the place that the page is at a name. */
export function namePlace(): string {
  const name = `${Date.now()}.${Math.random()}`
  history.replaceState({ place: name }, '')
  return name
}

/** Keeps the work of a place, or none. Where there is no room, the oldest goes first. */
export function keep(place: string, work: Omit<Kept, 'place'> | null): void {
  let all = list().filter(kept => kept.place !== place)
  if (work) all = [...all, { place, ...work }].slice(-MOST)
  try {
    // An older one is not to be shown in the place of one for which there is no room.
    sessionStorage.removeItem(KEY)
  } catch {
    return // no storage: a reload begins anew
  }
  for (; all.length > 0; all.shift()) {
    try {
      sessionStorage.setItem(KEY, JSON.stringify(all))
      return
    } catch {
      // Too little room for so many.
    }
  }
}

/** What was kept of this place. */
export const kept = (place: string): Kept | null => list().find(kept => kept.place === place) ?? null

/** The work that was kept last at another place. */
export const keptElsewhere = (place: string): Kept | null => list().findLast(kept => kept.place !== place) ?? null

/** A question that was kept is the visitor's own. */
export const wholeOf = ({ input, asked }: Kept): Whole => ({ input, given: input, example: null, edited: true, asked })

function list(): Kept[] {
  try {
    const all: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')
    return Array.isArray(all) ? all.filter(isKept) : []
  } catch {
    return []
  }
}

function isKept(work: unknown): work is Kept {
  if (typeof work !== 'object' || work === null || !('place' in work) || !('input' in work) || !('asked' in work)) return false
  const { input } = work
  if (typeof input !== 'object' || input === null) return false
  const texts = ['reference', 'optimized', 'spec'].every(key => typeof Reflect.get(input, key) === 'string')
  return texts && typeof Reflect.get(input, 'single') === 'boolean' && typeof work.place === 'string' && typeof work.asked === 'boolean'
}

/** The address no longer says what is on the page: a link in it would be another question's. */
export function leaveLink(): void {
  if (window.location.hash !== '') history.replaceState(history.state, '', window.location.pathname + window.location.search)
}
