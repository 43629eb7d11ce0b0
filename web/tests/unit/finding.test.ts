// Before finding is there, an editor has the keys that it will have.

import { searchKeymap } from '@codemirror/search'
import { expect, it } from 'vitest'
import { FINDING_KEYS } from '../../src/ui/finding-keys'

it('fetches finding by each of its keys', () => {
  // Escape closes what is not open yet.
  const keys = searchKeymap.filter(({ key }) => key !== 'Escape').map(({ key, shift }) => [key, shift !== undefined])
  const fetching = FINDING_KEYS.map(({ key, shift }) => [key, shift === true])
  expect(fetching.toSorted()).toEqual(keys.toSorted())
})
