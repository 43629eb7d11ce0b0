// The project's documents (docs/) as the page shows them: data, made from Markdown when the page is
// built (web/build/documents.ts).

export type Inline = string | { code: string } | { strong: Inline[] } | { em: Inline[] } | { line: true } | { document: string; inside: Inline[] } | { address: string; inside: Inline[] }

export type Block =
  | { heading: Inline[]; level: number }
  | { paragraph: Inline[] }
  | { code: string }
  | { list: Block[][]; ordered: boolean }
  | { head: Inline[][]; rows: Inline[][][]; right: boolean[] }

export interface Document {
  /** Of its file, without `.md`. */
  name: string
  title: string
  blocks: Block[]
}
