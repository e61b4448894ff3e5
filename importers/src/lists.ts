/** Adds a value to the list of a name, which begins with it. */
export function pushTo<T>(lists: Map<string, T[]>, name: string, value: T): void {
  const list = lists.get(name)
  if (list) list.push(value)
  else lists.set(name, [value])
}
