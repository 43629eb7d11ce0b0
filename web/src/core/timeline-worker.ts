// The timeline's worker: keeps the page free while it paints.

import { TimelineHost, type HostRequest } from './timeline-host'
import { warmUp } from './timeline-warm'

const host = new TimelineHost()
let asked = false

self.onmessage = (event: MessageEvent<HostRequest>) => {
  asked ||= event.data.kind === 'paint'
  const response = host.answer(event.data)
  if (response) self.postMessage(response)
}

warmUp(() => asked)
