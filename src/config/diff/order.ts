/** What stands in two lists in another order: pairs that follow each other now, and did not. */
export function swapped(before: readonly string[], after: readonly string[]): readonly (readonly [string, string])[] {
  const common = after.filter(name => before.includes(name))
  return common.flatMap((name, index) => {
    const next = common[index + 1]
    return next !== undefined && before.indexOf(name) > before.indexOf(next) ? [[name, next] as const] : []
  })
}

/** Names of the first list that the second lacks. */
export const without = (names: Iterable<string>, others: Iterable<string>): readonly string[] => {
  const known = new Set(others)
  return [...names].filter(name => !known.has(name))
}
