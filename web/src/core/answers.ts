// What a person answers to the questions that neither PTX nor spec answers, on its way into the spec.

import { readExtents, type TomlValue } from './spec-edit'

/** The number or sizes that somebody wrote for a missing value (`launch.block`, `scalars.n`); null for anything else. */
export function readAnswer(name: string, written: string): number | number[] | null {
  if (name !== 'launch.block') return written.trim() !== '' && Number.isFinite(Number(written)) ? Number(written) : null
  const sizes = readExtents(written) ?? []
  const numbers = sizes.filter(size => typeof size === 'number')
  return sizes.length > 0 && numbers.length === sizes.length ? numbers : null
}

/** Answers as keys of the spec, or the names of those that cannot be read. A kernel's answer is its name. */
export function keysOf(answers: readonly { name: string; written: string; chosen: boolean }[]): { keys: { path: string[]; key: string; value: TomlValue }[]; wrong: string[] } {
  const keys: { path: string[]; key: string; value: TomlValue }[] = []
  const wrong: string[] = []
  for (const { name, written, chosen } of answers) {
    const dot = name.indexOf('.')
    const value = chosen ? written : readAnswer(name, written)
    if (value === null) wrong.push(name)
    else keys.push({ path: [name.slice(0, dot)], key: name.slice(dot + 1), value })
  }
  return { keys: wrong.length > 0 ? [] : keys, wrong }
}
