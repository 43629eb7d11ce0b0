// What has been written into the fields for missing values and is not in the spec yet. Whoever asks for a verdict, by the
// form's own button, the page's or a key, wants these to count.

import { tick } from 'svelte'
import { keysOf } from '../core/answers'
import type { Side } from '../core/protocol'
import { tabText } from '../text-tabs'
import { session } from './session.svelte'

const GUESS = '128'

class Answers {
  /** By the name of what is missing. */
  written = $state<Record<string, string>>({})
  /** What is wrong with it, by the same. */
  problems = $state<Record<string, string>>({})
  /** The question that they answer. */
  #of = 0

  /** The kernels to choose from, where a side has several; none where a number is missing. */
  choices(name: string) {
    const side = name.endsWith('.entry') ? (name.slice(0, -'.entry'.length) as Side) : null
    return session.inference?.kernels.find(kernel => kernel.side === side)?.entries ?? []
  }

  /** What a field shows: what was written, else a guess. Of one file with several kernels, the first and the second are
   * more likely meant than one of them twice. */
  shown(name: string): string {
    const choices = this.choices(name)
    const guess = (choices[name === 'optimized.entry' && session.reference === session.optimized ? 1 : 0] ?? choices[0])?.name ?? GUESS
    return (this.#of === session.loaded ? this.written[name] : undefined) ?? guess
  }

  write(name: string, value: string): void {
    if (this.#of !== session.loaded) this.written = {}
    this.#of = session.loaded
    this.written[name] = value
    delete this.problems[name]
    session.answers = this
  }

  /** Whether somebody has written something that is still missing in the spec. */
  get waiting(): boolean {
    return this.#of === session.loaded && session.missing.some(name => this.written[name] !== undefined)
  }

  /** Writes all that the fields show into the spec; false, and the first field that is wrong, where one cannot be read. */
  async use(): Promise<boolean> {
    const { missing } = session
    const { keys, wrong } = keysOf(missing.map(name => ({ name, written: this.shown(name), chosen: this.choices(name).length > 0 })))
    this.problems = Object.fromEntries(wrong.map(name => [name, (name === 'launch.block' ? tabText.ask.notBlock : tabText.ask.notNumber)(this.shown(name))]))
    if (wrong.length > 0) {
      await tick()
      await session.toField(wrong[0]!)
      return false
    }
    for (const { path, key, value } of keys) session.setSpec(path, key, value)
    session.showKernels(Object.fromEntries(keys.filter(({ key }) => key === 'entry').map(({ path: [side], value }) => [side, value])))
    this.written = {}
    return true
  }
}

export const answers = new Answers()
