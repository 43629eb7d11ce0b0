// The special registers of PTX, in words.

import { text } from '../text'

/** `%tid.x` in words; null for an ordinary register. */
export function explainRegister(register: string): string | null {
  const [, name = '', axis] = /^%(\w+?)(?:\.([xyzw]))?$/.exec(register) ?? []
  const meaning = Object.hasOwn(text.registers, name) ? text.registers[name] : undefined
  return meaning === undefined ? null : axis ? text.along(meaning, axis) : meaning
}
