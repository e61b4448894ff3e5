/**
 * Reasoning as a text that a client keeps and sends back without reading it: `encrypted_content` of Responses, `signature`
 * of Messages. It needs no key, since the client may write anything into its history anyway.
 */
export const sealReasoning = (text: string): string => MARK + Buffer.from(text).toString('base64url')

/**
 * The reasoning in such a text; undefined where another service wrote it. It has no U+0000, which no model says: that would
 * be taken for the mark of a text that was left out of the body (fast/marked-texts.ts).
 */
export const unsealReasoning = (sealed: unknown): string | undefined =>
  isSealed(sealed) ? Buffer.from(sealed.slice(MARK.length), 'base64url').toString().replaceAll('\0', '') : undefined

/** Whether a text was sealed here. */
export const isSealed = (sealed: unknown): sealed is string => typeof sealed === 'string' && sealed.startsWith(MARK)

const MARK = 'svc1.'
