// Lets the browser fetch the page's chunks while main.ts runs, which asks for them last.

import { normalizePath, type HtmlTagDescriptor, type Plugin } from 'vite'

export function preloadPage(entry: string): Plugin {
  return {
    name: 'warpproof-preload-page',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle, chunk: main }) {
        const chunks = Object.values(bundle ?? {}).filter(output => output.type === 'chunk')
        const page = chunks.find(chunk => chunk.facadeModuleId === normalizePath(entry))
        if (!page) throw new Error(`${entry} is no chunk of its own`)
        const early = new Set([main?.fileName, ...(main?.imports ?? [])])
        const needed = new Set<string>()
        const styles = new Set<string>()
        const visit = (name: string) => {
          const chunk = chunks.find(({ fileName }) => fileName === name)
          if (!chunk || early.has(name) || needed.has(name)) return
          needed.add(name)
          for (const style of chunk.viteMetadata?.importedCss ?? []) styles.add(style)
          for (const inner of chunk.imports) visit(inner)
        }
        visit(page.fileName)
        const link = (attrs: Record<string, string | boolean>): HtmlTagDescriptor => ({ tag: 'link', injectTo: 'head', attrs: { ...attrs, crossorigin: true } })
        return [
          ...[...needed].map(name => link({ rel: 'modulepreload', href: `./${name}` })),
          ...[...styles].map(name => link({ rel: 'preload', as: 'style', href: `./${name}` })),
        ]
      },
    },
  }
}
