export const search = 'Search'
export const results = 'Results'
export const searching = 'Searching…'
export const keys = 'Arrows choose, Enter opens, Esc closes.'
export const found = (count: number) =>
  count === 0 ? 'Nothing found.' : count === 1 ? 'One result.' : `${count} results.`
