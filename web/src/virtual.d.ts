declare module 'virtual:gallery' {
  const examples: import('./ui/gallery').Example[]
  export default examples
}
