declare module 'virtual:gallery' {
  const examples: import('./ui/gallery').FullExample[]
  export default examples
}
declare module 'virtual:gallery-first' {
  const first: import('./ui/gallery').FullExample
  export default first
}
declare module 'virtual:gallery-list' {
  const examples: import('./ui/gallery').Example[]
  export default examples
}
declare module 'virtual:gallery-texts' {
  const inputs: Record<string, import('./core/protocol').Input>
  export default inputs
}
/** Sources of the examples’ kernels, by the names that the PTX has for them. */
declare module 'virtual:gallery-sources' {
  const sources: Record<string, string>
  export default sources
}
/** Where the page’s own source is; null where nobody has said. */
declare module 'virtual:source' {
  const address: string | null
  export default address
}
/** The documents of docs/. */
declare module 'virtual:documents' {
  const documents: import('./core/documents').Document[]
  export default documents
}
/** The page's lessons, as data of lesson files. */
declare module 'virtual:lessons' {
  const lessons: unknown[]
  export default lessons
}
/** The single-threaded engine, compressed, as base64; in the one-file copy only. */
declare module 'virtual:engine' {
  const packed: string
  export default packed
}
