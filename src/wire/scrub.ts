/** What looks like a credential: keys with a vendor's prefix, bearer values, JSON web tokens. */
const CREDENTIALS = /\b(?:sk|pk|rk|svc)[-_][A-Za-z0-9_-]{8,}|\bBearer\s+\S+|\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_.-]+/g
/** Where backends stand is ours to know. */
const ADDRESSES =
  /\bhttps?:\/\/[^\s"'<>]+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\[[0-9a-f:.]*:[0-9a-f:.]*\](?::\d+)?|\b(?:[a-z0-9-]+\.)+[a-z0-9-]+:\d{2,5}\b/gi
const MAX_LENGTH = 512

/** A backend's text as a client may read it: without secrets, addresses and length. */
export function scrub(text: string, secrets: readonly string[]): string {
  let scrubbed = text
  for (const secret of secrets) scrubbed = scrubbed.replaceAll(secret, '[redacted]')
  return scrubbed.replace(CREDENTIALS, '[redacted]').replace(ADDRESSES, '[address]').slice(0, MAX_LENGTH)
}
