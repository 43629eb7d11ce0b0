// A sweep: one question for each combination of sizes, and the answers summed up.
//
// The engine names the combinations, smallest first; here neighbors with one verdict become one row, as in the
// command line's report (crate/src/report/sweep.rs), and assumptions are added up.

import { presentations } from './verdict'
import type { Asked, AssumptionReport, Input, Report, Verdict } from './protocol'

/** What was answered about one combination. */
export interface Answer {
  verdict: Verdict
  summary: string
}

export interface Sweep {
  /** The question, with the spec that sweeps. */
  question: Input
  asked: Asked
  /** In the order of the combinations, as far as they were asked. */
  answers: Answer[]
  assumptions: AssumptionReport[]
  /** The combination whose report is shown. */
  shown: { at: number; title: string } | null
}

/** Neighboring combinations with one verdict; null where they were not asked. */
export interface Row {
  title: string
  verdict: Verdict | null
  /** Their places, the smallest first. */
  members: number[]
}

/** 0 is good news, 1 a fault or a counterexample, 2 a question that cannot be used, 3 no answer. */
function rank(verdict: Verdict): number {
  if (verdict === 'invalid_ptx' || verdict === 'invalid_spec') return 2
  const { tone } = presentations[verdict]
  return tone === 'good' ? 0 : tone === 'bad' ? 1 : 3
}

/** The place of the smallest combination that is not fine: a fault counts before what has no answer. */
export function worst(answers: readonly Answer[]): number | null {
  const ranks = answers.map(({ verdict }) => rank(verdict))
  const found = [1, 2, 3].map(rank => ranks.indexOf(rank)).find(at => at >= 0)
  return found ?? null
}

/** `n = 33, block = 64` */
export const titleOf = (asked: Asked, at: number): string => asked.names.map((name, axis) => `${name} = ${asked.combinations[at]!.values[axis]}`).join(', ')

type Shape = { same: Verdict | null } | { parts: Part[] }
type Part = { values: number[]; shape: Shape; members: number[] }
type One = { values: number[]; verdict: Verdict | null }

/** The table: values of a name under which all combinations of the names behind it have the same verdicts share a row. */
export function rows(asked: Asked, answers: readonly Answer[]): Row[] {
  const all = asked.combinations.map(({ values }, at) => ({ values, verdict: answers[at]?.verdict ?? null }))
  const whole = shapeOf(all, 0, 0)
  if ('same' in whole) {
    const title = asked.names.map((name, axis) => `${name} = ${range([...new Set(all.map(({ values }) => values[axis]!))].sort((a, b) => a - b))}`)
    return [{ title: title.join(', '), verdict: whole.same, members: all.map((_, at) => at) }]
  }
  return whole.parts.flatMap(part => written(asked.names, '', 0, part))
}

function shapeOf(all: One[], axis: number, first: number): Shape {
  const verdict = all[0]?.verdict ?? null
  if (all.every(one => one.verdict === verdict)) return { same: verdict }
  const parts: Part[] = []
  for (let from = 0; from < all.length; ) {
    const value = all[from]!.values[axis]!
    let to = from
    while (to < all.length && all[to]!.values[axis] === value) to++
    const shape = shapeOf(all.slice(from, to), axis + 1, first + from)
    const members = Array.from({ length: to - from }, (_, at) => first + from + at)
    const last = parts.at(-1)
    if (last && alike(last.shape, shape)) {
      last.values.push(value)
      last.members.push(...members)
      join(last.shape, shape)
    } else parts.push({ values: [value], shape, members })
    from = to
  }
  return { parts }
}

function alike(a: Shape, b: Shape): boolean {
  if ('same' in a || 'same' in b) return 'same' in a && 'same' in b && a.same === b.same
  return a.parts.length === b.parts.length && a.parts.every((part, at) => String(part.values) === String(b.parts[at]!.values) && alike(part.shape, b.parts[at]!.shape))
}

function join(to: Shape, more: Shape): void {
  if ('same' in to || 'same' in more) return
  to.parts.forEach((part, at) => {
    part.members.push(...more.parts[at]!.members)
    join(part.shape, more.parts[at]!.shape)
  })
}

function written(names: readonly string[], before: string, axis: number, { values, shape, members }: Part): Row[] {
  const title = `${before}${before && ', '}${names[axis]} = ${range(values)}`
  return 'same' in shape ? [{ title, verdict: shape.same, members }] : shape.parts.flatMap(part => written(names, title, axis + 1, part))
}

/** `1 … 32`, `32, 64, 128`, `64 … 1024 step 64`, `3 … 977 (40 values)` */
function range(values: readonly number[]): string {
  const [first, last, step] = [values[0]!, values.at(-1)!, (values[1] ?? values[0]! + 1) - values[0]!]
  const even = values.every((value, at) => at === 0 || value - values[at - 1]! === step)
  if (even && step === 1 && values.length > 2) return `${first} … ${last}`
  if (values.length <= 4) return values.join(', ')
  return even ? `${first} … ${last} step ${step}` : `${first} … ${last} (${values.length} values)`
}

/** Assumptions added up; each keeps its first place. */
export function added(all: readonly AssumptionReport[], { assumptions }: Report): AssumptionReport[] {
  const sum = new Map(all.map(one => [one.text, one]))
  for (const one of assumptions) {
    const known = sum.get(one.text)
    sum.set(one.text, known ? { ...known, count: known.count + one.count } : one)
  }
  return [...sum.values()]
}
