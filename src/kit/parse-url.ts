/**
 * The URL that a text is, or undefined, against `base` as `new URL` takes it. Stands in for `URL.canParse`, which on
 * Node 20 refuses texts such as `http://ü` once it has been called often enough to be compiled.
 */
export function parseUrl(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}
