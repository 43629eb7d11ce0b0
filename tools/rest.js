// The second part of the engine (tools/split.mjs), loaded into an instance of the first. A copy
// of this file lies in each package.

const url = new URL('./warpproof_rest.wasm', import.meta.url)
let module
let fetching

const missing = status => new Error(`the second part of the engine could not be fetched (${status ? `status ${status}` : 'no answer'})`)

/** Fetches the rest ahead of the first call into it; once, unless that fails. */
export function fetchRest() {
  fetching ??= fetchAndCompile().catch(error => {
    fetching = undefined
    throw error
  })
  return fetching
}

async function fetchAndCompile() {
  const response = await fetch(url).catch(() => null)
  if (!response?.ok) throw missing(response?.status)
  module = await WebAssembly.compile(await response.arrayBuffer())
}

/** A function of the rest is called: it has to be there when this returns, so the request is
 * synchronous, which workers may do. Each thread has its own instance and loads for itself;
 * browsers take the file from their cache and share the compiled code. */
export function loadRest(instance) {
  if (!module) {
    const request = new XMLHttpRequest()
    request.open('GET', url, false)
    request.responseType = 'arraybuffer'
    try {
      request.send()
    } catch {
      throw missing(0)
    }
    if (request.status !== 200) throw missing(request.status)
    module = new WebAssembly.Module(request.response)
  }
  new WebAssembly.Instance(module, { first: instance.exports })
  instance.exports['~loaded'].value = 1
}
