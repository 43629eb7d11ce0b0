// The fields for what only a person can say, which are there once the page has drawn them.

import { tick } from 'svelte'

/** Goes to the field of this name, else to the first. */
export async function focusMissing(name: string | null): Promise<void> {
  let fields: HTMLElement[] = []
  for (let turns = 0; turns < 5 && fields.length === 0; turns++) {
    await tick()
    fields = [...document.querySelectorAll<HTMLElement>('[data-missing]')]
  }
  const field = fields.find(({ dataset }) => dataset['missing'] === name) ?? fields[0]
  field?.focus()
  if (field instanceof HTMLInputElement) field.select()
}
