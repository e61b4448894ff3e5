/** The place of each number in a text or an array, from 0. */
export type Places<Name extends string = string> = Readonly<Record<Name, number>>

/** The names in the order of their places. */
export function namesIn<Name extends string>(places: Places<Name>): readonly Name[] {
  const names = Object.keys(places) as Name[]
  return names.sort((a, b) => places[a] - places[b])
}
