import type { ReadTerms } from '../../src/wire/client-dialect.ts'

/** Texts of a body from which none was left out. */
export const wholeTexts: ReadTerms['texts'] = {
  read: text => text,
  startsWith: (text, beginning) => text.startsWith(beginning),
  json: value => Buffer.from(JSON.stringify(value)),
}
