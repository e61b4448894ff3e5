/** Makes each thing once, by its name. Once there are `most`, all are forgotten and made again when they are asked for. */
export function remembered<T extends NonNullable<unknown>>(
  most: number,
  make: (name: string) => T,
): (name: string) => T {
  const made = new Map<string, T>()
  return name => {
    const known = made.get(name)
    if (known !== undefined) return known
    if (made.size >= most) made.clear()
    const thing = make(name)
    made.set(name, thing)
    return thing
  }
}
