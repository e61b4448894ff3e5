/**
 * Texts in the first language of the reader that there are; in English where there are none. One more language is one more
 * object of the same shape, by its tag: `{ en, de }`.
 */
export function inLanguage<T>(texts: { readonly en: T } & Readonly<Record<string, T>>): T {
  for (const tag of navigator.languages) {
    const found = texts[tag] ?? texts[tag.split('-')[0] ?? '']
    if (found) return found
  }
  return texts.en
}
