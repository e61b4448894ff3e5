/** Whether the gateway takes a text as the address of a backend: the format `x-base-url` of its schema. */
export const isBaseUrl = (text: string): boolean =>
  /^https?:\/\/[^\s/\\@?#]+(?:\/[^\s\\?#]*)?$/.test(text) && hostOf(text) !== undefined

/** The host and port of a URL. `URL.canParse` of Node 20 refuses texts such as `http://ü` once it is compiled. */
export function hostOf(text: string): string | undefined {
  try {
    return new URL(text).host
  } catch {
    return undefined
  }
}
