/** A text for HTML, between tags or in an attribute with double quotes. */
export const htmlText = (text: string): string => text.replace(/[&<>"]/g, character => ENTITIES[character] ?? '')

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
