/** The value in a section at a path such as `eject.after`. */
export function valueAt(section: object, path: string): unknown {
  let value: unknown = section
  for (const name of path.split('.')) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name]
  return value
}
