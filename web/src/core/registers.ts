// The special registers of PTX, in words.

import { tabText } from '../text-tabs'

/** `%tid.x` in words; null for an ordinary register. */
export function explainRegister(register: string): string | null {
  const [, name = '', axis] = /^%(\w+?)(?:\.([xyzw]))?$/.exec(register) ?? []
  const meaning = Object.hasOwn(tabText.registers, name) ? tabText.registers[name] : undefined
  return meaning === undefined ? null : axis ? tabText.along(meaning, axis) : meaning
}
