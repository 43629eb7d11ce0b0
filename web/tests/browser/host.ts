// A static host as plain as they come: files below a path, no headers beyond the type unless
// isolation is asked for, and switches that cut the network or lose a file.

import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist')
const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.json': 'application/json' }

export interface Host {
  address: string
  /** Paths asked for so far, in order. */
  asked: string[]
  /** When each was asked for, in milliseconds since 1970, as browsers on this machine count. */
  times: number[]
  /** From now on every connection is refused. */
  cut: () => Promise<void>
  /** Files whose name it matches are not found, from now on. */
  lose: (files: RegExp | null) => void
  /** Answers with another text in place of a file. */
  change: (name: string, text: string) => void
}

/** Serves web/dist below `prefix`, which begins and ends with a slash. */
export async function host(prefix = '/', { isolated = false } = {}): Promise<Host> {
  const headers = isolated ? { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' } : {}
  let lost: RegExp | null = null
  const asked: string[] = []
  const times: number[] = []
  const changed = new Map<string, string>()
  const sockets = new Set<Socket>()
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://host')
    const name = pathname.startsWith(prefix) ? pathname.slice(prefix.length) || 'index.html' : ''
    const file = path.join(dist, name)
    if (name === '' || !file.startsWith(dist) || lost?.test(name) || !fs.existsSync(file)) {
      response.writeHead(404).end('not here')
      return
    }
    asked.push(name)
    times.push(performance.timeOrigin + performance.now())
    response.writeHead(200, { ...headers, 'Content-Type': types[path.extname(file)] ?? 'application/octet-stream' })
    response.end(changed.get(name) ?? fs.readFileSync(file))
  })
  server.on('connection', socket => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    asked,
    times,
    lose: files => void (lost = files),
    change: (name, text) => changed.set(name, text),
    cut: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
