import type { ReadTerms } from '../../src/wire/client-dialect.ts'

/** Of a body of which no text was left out. */
export const wholeTexts: ReadTerms['texts'] = {
  read: text => text,
  startsWith: (text, beginning) => text.startsWith(beginning),
  json: value => Buffer.from(JSON.stringify(value)),
}
