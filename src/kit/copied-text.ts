/**
 * Copies a text into memory of its own. V8 keeps all of a text for a part of it, so a short name that lives on would hold the
 * body that it was cut from.
 */
export const copiedText = (text: string): string => Buffer.from(text).toString()
