/** Whether the gateway takes a text as the address of a backend: the format `x-base-url` of its schema. */
export const isBaseUrl = (text: string): boolean =>
  /^https?:\/\/[^\s/\\@?#]+(?:\/[^\s\\?#]*)?$/.test(text) && URL.canParse(text)
