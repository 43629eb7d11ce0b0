// Formulas in an editor: colors, completion of functions and names, and what a function gives, for the mouse.
// The functions are the engine's; which names there are, the kernel's parameters and the lines before say.

import { autocompletion, snippetCompletion, type Completion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete'
import type { Extension } from '@codemirror/state'
import { hoverTooltip } from '@codemirror/view'
import type { FunctionHelp } from '../core/protocol'
import { text } from '../text'
import { formulaLanguage } from './formula-language'
import { show } from './ptx-editing'
import { session } from './session.svelte'

const NAME = /[\p{L}_][\p{L}\p{N}_]*/u
const CONSTANTS = ['pi', 'e', 'inf', 'None', 'True', 'False']

let asked: Promise<FunctionHelp[]> | null = null

/** The engine's functions, asked for once. */
async function functions(): Promise<FunctionHelp[]> {
  const found = await (asked ??= session.again.functions())
  // The engine may have been starting.
  if (found.length === 0) asked = null
  return found
}

/** The names that can stand on this line: the kernel's, and those assigned on lines before. */
function names(before: string): Completion[] {
  const parameters = session.inference?.kernels.find(({ side }) => side === 'optimized')?.parameters ?? []
  const known = new Map(parameters.map(({ bound, kind }): [string, string] => [bound, kind === 'pointer' ? text.editors.tensor : text.editors.scalar]))
  for (const [, name] of before.matchAll(/^[ \t]*([\p{L}_][\p{L}\p{N}_]*)\s*(?:\[[^\]\n]*\])?\s*[-+*/]?=(?!=)/gmu)) if (!known.has(name!)) known.set(name!, text.editors.assigned)
  return [...known].map(([label, detail]) => ({ label, detail, type: 'variable', boost: 1 }))
}

async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  const word = context.matchBefore(/[\p{L}_][\p{L}\p{N}_]*/u)
  if (!word && !context.explicit) return null
  const from = word?.from ?? context.pos
  const before = context.state.doc.lineAt(from)
  // Not in a comment.
  if (before.text.slice(0, from - before.from).includes('#')) return null
  const calls = (await functions()).map(({ name, parameters, help }) =>
    snippetCompletion(`${name}(\${})`, { label: name, detail: `(${parameters})`, info: help, type: 'function' }))
  const constants = CONSTANTS.map(label => ({ label, type: 'constant' }))
  return { from, options: [...names(context.state.sliceDoc(0, before.from)), ...calls, ...constants], validFor: NAME }
}

const hover = hoverTooltip(async (view, position) => {
  const line = view.state.doc.lineAt(position)
  for (const match of line.text.matchAll(/[\p{L}_][\p{L}\p{N}_]*(?=\s*\()/gu)) {
    const from = line.from + match.index
    const to = from + match[0].length
    if (position < from || position > to) continue
    const found = (await functions()).find(({ name }) => name === match[0])
    return found ? show({ from, to, lines: [{ code: `${found.name}(${found.parameters})` }, { text: found.help }] }) : null
  }
  return null
})

export const formula: Extension = [formulaLanguage, autocompletion({ override: [complete], icons: false }), hover]
