// Elements of an output that the report lists one by one and that compute alike: `y[0] = 4·x[0]`, `y[1] = 4·x[1]`, … is
// `y[i] = 4·x[i]`. Only what is listed is folded; of elements that are not, nothing is known here.

import type { OutputGroup } from './protocol'

/** Groups in one row; with several, their elements and what these compute, with a letter for the index. */
export interface Folded {
  groups: [OutputGroup, ...OutputGroup[]]
  element: string
  text: string
}

/** Two points lie on some line; a third tells. */
const FEWEST = 3
const LETTERS = ['i', 'j', 'm', 'n', 'p', 'q']
const INDEX = /\[(\d+)\]/g

const indicesOf = (text: string): number[] => [...text.matchAll(INDEX)].map(([, number]) => Number(number))
const skeletonOf = (text: string): string => text.replace(INDEX, '[]')
/** Ranges like `[k=0…3]` say all; any other ellipsis hides something. */
const isWhole = (text: string): boolean => !text.replace(/\[\w+=-?\d+…-?\d+\]/g, '').includes('…')

export function folded(groups: readonly OutputGroup[]): Folded[] {
  const rows: Folded[] = []
  for (let at = 0; at < groups.length; ) {
    let found: Folded = { groups: [groups[at]!], element: '', text: '' }
    for (let end = at + FEWEST; end <= groups.length; end++) {
      const longer = alike(groups.slice(at, end))
      if (!longer) break
      found = longer
    }
    rows.push(found)
    at += found.groups.length
  }
  return rows
}

/** What all of these elements compute, if one index of theirs tells all of their expressions. */
function alike(groups: readonly OutputGroup[]): Folded | null {
  const [first] = groups
  if (!first || groups.some(({ answer, elements, pattern, reason, optimized }) => answer !== 'single' || elements !== 1 || pattern !== undefined || reason !== '' || !optimized || !isWhole(optimized.text))) return null
  const texts = groups.map(({ optimized }) => optimized!.text)
  if (texts.some(text => skeletonOf(text) !== skeletonOf(texts[0]!)) || groups.some(({ sample }) => skeletonOf(sample) !== skeletonOf(first.sample))) return null
  const places = groups.map(({ sample }) => indicesOf(sample))
  const moving = places[0]!.flatMap((index, axis) => (places.some(place => place[axis] !== index) ? [axis] : []))
  const letter = LETTERS.find(letter => !new RegExp(`(?<![\\p{L}\\d_])${letter}(?![\\p{L}\\d_])`, 'u').test(texts[0]!))
  if (moving.length !== 1 || !letter) return null
  const along = places.map(place => place[moving[0]!]!)
  const lines = indicesOf(texts[0]!).map((_, number) => line(along, texts.map(text => indicesOf(text)[number]!), letter))
  if (lines.includes(null)) return null
  let number = 0
  let axis = 0
  return {
    groups: groups as Folded['groups'],
    element: first.sample.replace(INDEX, index => (axis++ === moving[0] ? `[${letter}]` : index)),
    text: texts[0]!.replace(INDEX, () => `[${lines[number++]}]`),
  }
}

/** `2·i + 1`, if all values lie on that line; null where they lie on none. */
function line(along: readonly number[], values: readonly number[], letter: string): string | null {
  const slope = (values[1]! - values[0]!) / (along[1]! - along[0]!)
  const offset = values[0]! - slope * along[0]!
  if (!Number.isInteger(slope) || values.some((value, at) => value !== slope * along[at]! + offset)) return null
  if (slope === 0) return String(offset)
  const term = slope === 1 ? letter : slope === -1 ? `-${letter}` : `${slope}·${letter}`
  if (slope < 0 && offset > 0) return `${offset} - ${term.slice(1)}`
  return offset === 0 ? term : `${term} ${offset < 0 ? '-' : '+'} ${Math.abs(offset)}`
}
