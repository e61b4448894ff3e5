import { useState } from 'preact/hooks'

/** A field that finds rows by a word, and the word as rows are searched for it: in small letters. */
export function useFind(label: string) {
  const [wanted, setWanted] = useState('')
  const field = (
    <input
      type="search"
      aria-label={label}
      placeholder="Find  /"
      value={wanted}
      onInput={event => setWanted(event.currentTarget.value)}
    />
  )
  return { field, word: wanted.trim().toLowerCase() }
}
