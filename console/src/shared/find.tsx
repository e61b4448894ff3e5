import { useState } from 'preact/hooks'
import { query } from './frame/router.ts'
import * as common from './texts/common.ts'

/** A field that finds rows by a word, first the one of the address, and the word as rows are searched for it: in small letters. */
export function useFind(label: string) {
  const [wanted, setWanted] = useState(query.peek().get('find') ?? '')
  const field = (
    <input
      type="search"
      aria-label={label}
      placeholder={common.find}
      value={wanted}
      onInput={event => setWanted(event.currentTarget.value)}
    />
  )
  return { field, word: wanted.trim().toLowerCase() }
}
