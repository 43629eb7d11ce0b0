// The page's side of the service worker (web/src/sw.ts): isolation before anything is loaded,
// use without network after the first verdict, updates when the user wants them.

import { text } from '../text'

const PATIENCE_MS = 3_000
const CALM_MS = 1_000
/** Until this page asks for a newer version, until it asks again where getting one failed, and between looks of a tab that stays open. */
const LOOK_MS = 5_000
const AGAIN_MS = 60_000
const EVERY_MS = 6 * 3_600_000
const RELOADED = 'warpproof-reloaded'

/** Whether this copy can keep itself: not from a disk, not inside another page, not while developing. */
const possible = import.meta.env.PROD && import.meta.env.MODE !== 'onefile' && 'serviceWorker' in navigator && window.isSecureContext && window.top === window

/** This is the one-file copy. */
export const isOneFile = import.meta.env.MODE === 'onefile'

/** The one-file copy lies beside this one: not in what `npm start` serves. */
export const hasOneFile = import.meta.env.MODE === 'production'

class Offline {
  /** Everything that the page needs is kept here. */
  kept = $state(false)
  /** A newer version is here and waits. */
  update = $state<ServiceWorker | null>(null)
  #keeping = false

  /** Isolates a page whose server does not, by a reload through the service worker; true when the reload is under way. */
  async isolate(): Promise<boolean> {
    if (!possible) return false
    try {
      if (globalThis.crossOriginIsolated) {
        sessionStorage.removeItem(RELOADED)
        return false
      }
      // Once: where the reload did not help, a second one would not either.
      if (sessionStorage.getItem(RELOADED) !== null) return false
      await within(PATIENCE_MS, active())
      sessionStorage.setItem(RELOADED, '1')
    } catch {
      return false // Storage or service workers are forbidden: one thread, then.
    }
    window.location.reload()
    return true
  }

  /** Keeps every file; called after a verdict, when the network has nothing more urgent to do. */
  async keep(): Promise<void> {
    if (!possible || this.kept || this.#keeping) return
    this.#keeping = true
    await new Promise(resolve => setTimeout(resolve, CALM_MS))
    try {
      const worker = await active()
      const channel = new MessageChannel()
      const answer = new Promise<unknown>(resolve => (channel.port1.onmessage = event => resolve(event.data)))
      worker.postMessage('keep', [channel.port2])
      this.kept = (await answer) === 'kept'
      if (this.kept) document.documentElement.dataset['offline'] = 'kept'
    } catch {
      this.kept = false
    }
    this.#keeping = false
  }

  /** Shows the newer version; other tabs go on offering it, since a reload of theirs may lose texts. */
  takeOver(): void {
    if (this.update?.state !== 'installed') {
      window.location.reload() // another tab has let it take over
      return
    }
    navigator.serviceWorker.addEventListener('controllerchange', () => window.location.reload(), { once: true })
    this.update.postMessage('take over')
  }

  constructor() {
    if (!possible || !navigator.serviceWorker.controller) return
    void navigator.serviceWorker.getRegistration('./').then(registration => registration && this.#follow(registration)).catch(() => undefined)
  }

  /** Offers what the registration has to offer, now and later. */
  #follow(registration: ServiceWorkerRegistration): void {
    const offer = (worker: ServiceWorker | null) => {
      if (worker?.state === 'installed') this.update = worker
    }
    const watch = () => {
      offer(registration.waiting)
      const worker = registration.installing
      worker?.addEventListener('statechange', () => {
        offer(worker)
        // A file could not be had: the server may be in the middle of its own update.
        if (worker.state === 'redundant' && worker !== this.update) setTimeout(look, AGAIN_MS)
      })
    }
    const look = () => void registration.update().catch(() => undefined) // there may be no network
    // The browser looks for a newer version as the page loads: it may have been found, or be here, before
    // this runs. When it looks is its own affair, and later the busier it is; a tab may also stay open for days.
    registration.addEventListener('updatefound', watch)
    watch()
    setTimeout(look, LOOK_MS)
    setInterval(look, EVERY_MS)
  }
}

/** The active service worker of this folder, registered if it is not yet. */
async function active(): Promise<ServiceWorker> {
  const registration = await navigator.serviceWorker.register('./sw.js', { scope: './', updateViaCache: 'none' })
  if (registration.active) return registration.active
  const worker = registration.installing ?? registration.waiting
  if (!worker) throw new Error(text.offline.noWorker)
  return new Promise((resolve, reject) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'activated') resolve(worker)
      if (worker.state === 'redundant') reject(new Error(text.offline.noWorker))
    })
  })
}

function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  return Promise.race([promise, new Promise<never>((_, reject) => setTimeout(() => reject(new Error('late')), milliseconds))])
}

export const offline = new Offline()
