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
  examples: {
    unreachable: (title: string) => `The example “${title}” could not be fetched. Check the network, or choose another one.`,
  },
} as const
