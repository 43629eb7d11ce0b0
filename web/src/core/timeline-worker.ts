// The timeline's worker: keeps the page free while it paints.

import { TimelineHost, type HostRequest } from './timeline-host'

const host = new TimelineHost()

self.onmessage = (event: MessageEvent<HostRequest>) => {
  const response = host.answer(event.data)
  if (response) self.postMessage(response)
}
