// The page's English, in one place: to translate the page, translate this file. Texts with
// numbers or names in them are functions. What the engine says about kernels comes from Rust.

export const text = {
  offline: {
    noWorker: 'the browser did not start the service worker',
    kept: 'This page is kept in your browser and works without network.',
    notKept: 'This page is not kept in your browser; without network, use the one-file copy.',
    oneFile: 'This is the one-file copy: it needs no network and no server, and runs on one thread.',
    download: 'Download the one-file copy',
    downloadHint: 'One HTML file that works from a disk, without network and without installation.',
    update: 'A newer version of this page is here.',
    takeOver: 'Show it',
    whyNoThreads: 'Threads need a page that is isolated by its server or its service worker; private windows and embedded pages often have neither. The answers are the same, only slower.',
  },
  engine: {
    noIsolation: 'This page is not cross-origin isolated, so the engine runs on one thread.',
    noThreads: 'Threads did not start in this browser, so the engine runs on one thread.',
    lacking: (features: readonly string[]) =>
      features.includes('WebAssembly')
        ? 'This browser has no WebAssembly, or its settings forbid it (a lockdown mode does).'
        : `This browser’s WebAssembly lacks ${features.join(', ')}. Browsers since 2023 have it: an update helps.`,
    workerStopped: 'the engine’s worker stopped',
    slowDownload: 'The engine did not arrive within a minute. Check the network and reload.',
    slowThreads: 'its threads did not start in time',
    noMemory: (executed: number) => `the browser gave no more memory after ${executed.toLocaleString('en')} thread-instructions`,
  },
  failure: {
    titles: { panic: 'Tool error', memory: 'Out of memory', died: 'Tool error', unusable: 'The engine cannot run here' },
    explained: {
      panic: 'A defect in Warpproof stopped the engine; a fresh one has been started. This says nothing about your kernels.',
      memory: 'The engine ran out of memory; a fresh one has been started. A smaller launch, fewer CTAs or smaller tensors need less.',
      died: 'The engine stopped answering; a fresh one has been started. This says nothing about your kernels.',
      unusable: 'The editors, the spec and links work; only the verdict is missing. The command line gives the same answers.',
    },
    copy: 'Copy a report',
    copied: 'Copied',
  },
  link: {
    damaged: (what: string, kept: boolean) => `This link is damaged: ${what}.${kept ? ' What could be read is in the editors.' : ''}`,
    empty: 'it is empty',
    version: (version: string) => `it is of version “${version}”, which this page does not know; it may come from a newer one`,
    alphabet: (place: number, character: string) => `character ${place} of the link, “${character}”, cannot stand in a link; it was probably added on the way`,
    incomplete: (part: string, missing: number, cut: boolean) => `${part} is incomplete${missing > 0 ? ` (${missing} bytes are missing)` : ''}${cut ? '; the link was probably cut off' : ''}`,
    checksum: 'the checksum does not fit, so the texts may not be what was shared',
    notText: (part: string) => `${part} holds bytes that are not text (UTF-8)`,
    tooLarge: (megabytes: number) => `it unpacks to more than ${megabytes} MiB, which no kernels need`,
    tooLong: (characters: number) => `it has more than ${characters.toLocaleString('en')} characters`,
    parts: { reference: 'the reference kernel', optimized: 'the optimized kernel', spec: 'the spec', single: 'the mode', verdict: 'the verdict', list: 'the list of parts', link: 'the link' },
  },
  examples: {
    unreachable: (title: string) => `The example “${title}” could not be fetched. Check the network, or choose another one.`,
  },
} as const
