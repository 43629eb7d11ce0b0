// PTX in an editor: colors, and what the mouse finds out: opcodes from the engine's instruction table, special registers,
// float literals as numbers and as the constants they probably mean.

import type { Extension } from '@codemirror/state'
import { hoverTooltip, type EditorView, type Tooltip } from '@codemirror/view'
import { text } from '../text'
import { storedAt } from './computes'
import { laterWords } from './later'
import { formula } from './mathml'
import { ptxLanguage } from './ptx-language'
import { session } from './session.svelte'

/** What a tooltip says about a stretch of text. */
export interface Found {
  from: number
  to: number
  lines: { code?: string; text?: string; small?: string; math?: { element: string; mathml: string; plain: string } }[]
}

const hover = hoverTooltip(async (view, position) => {
  const found = await explain(view, position)
  return found && show(found)
})

export const ptx: Extension = [ptxLanguage, hover]

async function explain(view: EditorView, position: number): Promise<Found | null> {
  const line = view.state.doc.lineAt(position)
  const under = (pattern: RegExp) => {
    for (const match of line.text.matchAll(pattern)) {
      const from = line.from + match.index
      if (position >= from && position <= from + match[0].length) return { from, to: from + match[0].length, text: match[0] }
    }
    return null
  }
  const words = await laterWords().catch(() => null)
  const literal = under(/\b0[fFdD][0-9a-fA-F]+\b/g)
  const value = literal && words?.explainLiteral(literal.text)
  if (literal && value) return { ...literal, lines: [{ code: `${literal.text} = ${value}` }] }

  const register = under(/%[a-z_]\w*(\.[xyzw])?/g)
  const meaning = register && words?.explainRegister(register.text)
  if (register && meaning) return { ...register, lines: [{ code: register.text }, { text: meaning }] }

  // The opcode is the first word of a statement, after its guard.
  const statement = /^\s*(?:[\w$]+:\s*)?(?:@!?%\w+\s+)?([a-z]\w*(?:(?:\.|::)\w+)*)/.exec(line.text)
  const opcode = statement?.[1]
  if (!statement || !opcode) return null
  const from = line.from + statement[0].length - opcode.length
  if (position < from || position > from + opcode.length) return null
  const help = await session.again.explain(opcode)
  if (!help) return null
  return {
    from,
    to: from + opcode.length,
    lines: [
      { code: help.form },
      { text: help.summary },
      ...computed(view, line.number),
      ...(help.real ? [{ text: text.hover.reals(help.real) }] : []),
      { small: text.hover.section(help.section, help.supported) },
    ],
  }
}

/** What a store computes, in the kernel that the latest run has seen. */
function computed(view: EditorView, line: number): Found['lines'] {
  const shown = view.state.doc.toString()
  const source = (['optimized', 'reference'] as const).find(of => session.verified[of] === shown)
  const values = source ? storedAt(source, line).slice(0, VALUES) : []
  if (values.length === 0) return []
  return [{ small: text.evidence.value }, ...values.map(({ element, expression }) => ({ math: { element, mathml: expression.mathml, plain: expression.text } }))]
}

/** Values of a store that its tooltip shows, and characters up to which they are typeset. */
const VALUES = 2
const LONG = 300

/** A tooltip. */
export function show({ from, to, lines }: Found): Tooltip {
  return {
    pos: from,
    end: to,
    above: true,
    create: () => {
      const dom = document.createElement('div')
      dom.className = 'wp-hover'
      for (const { code, text: words, small, math } of lines) {
        if (math) {
          const value = document.createElement('span')
          value.className = 'wp-value'
          const name = document.createElement('code')
          name.textContent = `${math.element} = `
          const typeset = math.plain.length <= LONG ? formula(math.mathml) : null
          typeset?.setAttribute('display', 'inline')
          const plain = document.createElement('code')
          plain.textContent = math.plain
          value.append(name, typeset ?? plain)
          dom.append(value)
          continue
        }
        const element = document.createElement(code !== undefined ? 'code' : small !== undefined ? 'small' : 'span')
        element.textContent = code ?? small ?? words ?? ''
        dom.append(element)
      }
      return { dom }
    },
  }
}
