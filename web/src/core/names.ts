// Names as the authors of kernels wrote them, in what the engine says. Kernels are known by their titles; variables are
// read here, as the engine reads them where a spec names them (report/variables.rs): `buffer` for `_ZZ4scanPfE6buffer`.

import { text } from '../text'

/** A kernel's name in the PTX, and as its author wrote it. */
export interface Named {
  name: string
  title: string
}

/** A length and that many characters; what stands behind them. */
function part(text: string): { name: string; rest: string } | null {
  const [head, digits] = /^L?(\d+)/.exec(text) ?? []
  if (head === undefined) return null
  const name = text.slice(head.length, head.length + Number(digits))
  return name.length === Number(digits) && name !== '' ? { name, rest: text.slice(head.length + name.length) } : null
}

/** The name that a variable, or a kernel without template arguments, has in its source; other names stay. */
export function sourceName(mangled: string): string {
  let parts: string[] = []
  if (mangled.startsWith('_ZZ')) {
    // The function may have an `E` in its name, and so may the variable.
    for (let at = mangled.indexOf('E'); at >= 0 && parts.length === 0; at = mangled.indexOf('E', at + 1)) {
      const last = part(mangled.slice(at + 1))
      if (last && /^(_|$)/.test(last.rest)) parts = [last.name]
    }
  } else if (mangled.startsWith('_ZN')) {
    let rest = mangled.slice(3)
    for (let next = part(rest); next; next = part(rest)) {
      parts.push(next.name)
      rest = next.rest
    }
    if (!rest.startsWith('E')) return mangled
  } else {
    const plain = part(mangled.replace(/^_Z/, ''))
    if (mangled.startsWith('_Z') && plain) parts = [plain.name]
  }
  const shown = parts.filter(name => !name.startsWith('_INTERNAL_') && !name.includes('_GLOBAL__N_'))
  return shown.join('::') || mangled
}

/** What a parameter is called: kernels' compilers number them, from 0, and people count from 1. */
export function parameterName(name: string, kernels: readonly Named[]): string {
  const [, kernel, number] = /^(.+)_param_(\d+)$/.exec(name) ?? []
  if (kernel === undefined) return readable(name, kernels)
  return text.parameterOf(Number(number) + 1, readable(kernel, kernels))
}

/** A text with readable names in the place of mangled ones. */
export function readable(sentence: string, kernels: readonly Named[]): string {
  return sentence.replace(/_Z[\w$.]*[\w$]/g, mangled => {
    const kernel = kernels.find(({ name }) => mangled === name || (mangled.startsWith(name) && /^_param_\d+$/.test(mangled.slice(name.length))))
    if (!kernel) return sourceName(mangled)
    const rest = mangled.slice(kernel.name.length)
    return rest === '' ? kernel.title : text.parameterOf(Number(rest.slice('_param_'.length)) + 1, kernel.title)
  })
}
