/**
 * The parameters of a form that have these names; undefined where one is sent twice, which RFC 6749 3.2 forbids. Others are
 * ignored, and so are empty ones.
 */
export function readForm<Name extends string>(
  text: string,
  names: readonly Name[],
): Partial<Record<Name, string>> | undefined {
  const found: Partial<Record<Name, string>> = {}
  for (const [given, value] of new URLSearchParams(text)) {
    const name = names.find(each => each === given)
    if (name === undefined) continue
    if (found[name] !== undefined) return undefined
    if (value !== '') found[name] = value
  }
  return found
}

/** Form-encoded, as RFC 6749 has it. */
export const isForm = (type: string): boolean => /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i.test(type)
