// The service worker: keeps the page for use without network, and adds the two headers that
// isolate it, which static hosts do not send. Without isolation there are no threads.
//
// A first visit activates it at once and empty, since the page waits for the headers; what
// the page loads is kept as it passes, and the rest is fetched when the page asks for it,
// which is after its first verdict. An update is fetched whole before it may take over, and
// takes over when no tab shows the old version any more or the user asks for it, so a page
// never meets files of another version.
//
// Files are checked against the hashes that the build wrote here. Nothing but this folder's
// own files is kept or answered; everything else goes to the network as if this were absent.

/** Paths relative to this file → "sha256-…"; written by web/build/service-worker.ts. */
declare const FILES: Record<string, string>
declare const VERSION: string

const worker = self as unknown as ServiceWorkerGlobalScope
const scope = new URL('./', worker.location.href)
const PREFIX = `warpproof ${scope.pathname} `
const CACHE = PREFIX + VERSION
const under = new Map<string, Promise<Response>>()

worker.addEventListener('install', event => {
  if (worker.registration.active) event.waitUntil(keepAll())
  else void worker.skipWaiting()
})

worker.addEventListener('activate', event => {
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) if (name.startsWith(PREFIX) && name !== CACHE) await caches.delete(name)
      await worker.clients.claim()
    })(),
  )
})

worker.addEventListener('message', event => {
  const port = event.ports[0]
  if (event.data === 'take over') void worker.skipWaiting()
  if (event.data === 'keep') {
    const answer = keepAll().then(
      () => port?.postMessage('kept'),
      (error: unknown) => port?.postMessage(String(error)),
    )
    event.waitUntil(answer)
  }
})

worker.addEventListener('fetch', event => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== scope.origin || !url.pathname.startsWith(scope.pathname)) return
  let path = url.pathname.slice(scope.pathname.length)
  if (path === '') path = 'index.html'
  if (Object.hasOwn(FILES, path)) event.respondWith(answer(path).then(isolated))
  else if (request.mode === 'navigate') event.respondWith(fetch(request).then(isolated))
})

async function answer(path: string): Promise<Response> {
  const kept = await (await caches.open(CACHE)).match(new URL(path, scope))
  if (kept) return kept
  // Two engines ask for the same file at the same time: it is fetched once.
  let flight = under.get(path)
  if (!flight) {
    flight = fetchFile(path).finally(() => under.delete(path))
    under.set(path, flight)
  }
  return (await flight).clone()
}

/** A file from an older version's cache or from the network; kept if it is what the build made. */
async function fetchFile(path: string): Promise<Response> {
  const address = new URL(path, scope)
  const cache = await caches.open(CACHE)
  // The names of built files contain a hash, so equal names are equal files.
  const old = path.startsWith('assets/') ? await caches.match(address) : undefined
  const response = old ?? (await fetch(address, { integrity: FILES[path]!, cache: 'no-cache' }).catch(() => null))
  if (response?.ok) {
    await cache.put(address, response.clone())
    return response
  }
  // The server has another version by now: show that one, and keep nothing of it.
  return fetch(address)
}

async function keepAll(): Promise<void> {
  const cache = await caches.open(CACHE)
  for (const path of Object.keys(FILES)) {
    const address = new URL(path, scope)
    if (await cache.match(address)) continue
    await answer(path)
    if (!(await cache.match(address))) throw new Error(`${path} could not be kept`)
  }
}

function isolated(response: Response): Response {
  if (response.status === 0 || response.status >= 300) return response
  const headers = new Headers(response.headers)
  headers.set('Cross-Origin-Opener-Policy', 'same-origin')
  headers.set('Cross-Origin-Embedder-Policy', 'require-corp')
  headers.set('Cross-Origin-Resource-Policy', 'cross-origin') // so that isolated pages may embed this one
  // Some plain servers do not know WebAssembly, and browsers compile it as it comes only by this name.
  if (response.url.endsWith('.wasm')) headers.set('Content-Type', 'application/wasm')
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
}
