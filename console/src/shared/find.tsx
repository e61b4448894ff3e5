import { useState } from 'preact/hooks'
import * as common from './texts/common.ts'

/** A field that finds rows by a word, and the word as rows are searched for it: in small letters. */
export function useFind(label: string) {
  const [wanted, setWanted] = useState('')
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
