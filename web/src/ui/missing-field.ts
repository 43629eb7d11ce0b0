// The fields for what only a person can say, which are there once the page has drawn them, and those of the strip.

import { tick } from 'svelte'

/** Goes to the field of this name, else to the first that only a person can fill; a choice is opened. */
export async function focusField(name: string | null): Promise<void> {
  const strip = document.querySelector<HTMLElement>(`[data-setting="${name}"]`)
  let fields: HTMLElement[] = strip ? [strip] : []
  for (let turns = 0; turns < 5 && fields.length === 0; turns++) {
    await tick()
    fields = [...document.querySelectorAll<HTMLElement>('[data-missing]')]
  }
  const field = fields.find(({ dataset }) => dataset['missing'] === name) ?? fields[0]
  field?.focus()
  if (field instanceof HTMLInputElement) field.select()
  else if (field instanceof HTMLSelectElement) open(field)
}

/** Opens the menu of a choice, where the browser lets a page do that. */
function open(choice: HTMLSelectElement): void {
  try {
    choice.showPicker()
  } catch {
    // It has the focus.
  }
}
