/**
 * Reasoning as a text that a client keeps and sends back without reading it: `encrypted_content` of Responses, `signature`
 * of Messages. It needs no key, since the client may write anything into its history anyway.
 */
export const sealReasoning = (text: string): string => MARK + Buffer.from(text).toString('base64url')

/** The reasoning in such a text; undefined where another service wrote it. */
export const unsealReasoning = (sealed: unknown): string | undefined =>
  typeof sealed === 'string' && sealed.startsWith(MARK)
    ? Buffer.from(sealed.slice(MARK.length), 'base64url').toString()
    : undefined

const MARK = 'svc1.'
