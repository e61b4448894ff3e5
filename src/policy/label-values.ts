/** The values of labels, by label. */
export type Labels = Readonly<Record<string, string>>

const MOST_CHARACTERS = 64
const VALUE = /^[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,63}$/
const VALUE_FORM = `must be 1 to ${MOST_CHARACTERS} letters, digits and . _ : / @ + -, and begin with a letter or a digit`

/** A header's value as facts have it: no longer than it takes to see that it is too long. */
export const boundedValue = (text: string): string => text.slice(0, MOST_CHARACTERS + 1)

/** The problem with a value of a label; undefined where it may have it. */
export function wrongValue({ values }: { readonly values?: readonly string[] }, value: string): string | undefined {
  if (!VALUE.test(value)) return VALUE_FORM
  if (!values || values.includes(value)) return undefined
  return `\`${value}\` is no value of this label; there are ${shortList(values)}`
}

const MOST_LISTED = 20

const shortList = (values: readonly string[]): string =>
  values.length <= MOST_LISTED
    ? values.join(', ')
    : `${values.slice(0, MOST_LISTED).join(', ')} and ${values.length - MOST_LISTED} more`

/** Labels in one line: `project=web team=core`. */
export const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
