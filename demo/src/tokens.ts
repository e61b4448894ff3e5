import type { ChatRequest } from './request.ts'

/**
 * Words in pieces of up to five letters, and single signs, each with the space before it. Joined they are the text
 * again, and no piece is shorter than a byte, so that there are never more tokens than bytes.
 */
const PIECE = /\s*(?:[\p{L}\p{M}\p{N}]{1,5}|[^\s\p{L}\p{M}\p{N}])|\s+/gu

/** The tokens of a text: pieces that joined are the text. */
export const pieces = (text: string): readonly string[] => text.match(PIECE) ?? []

/** How many tokens a text has. */
export const countTokens = (text: string): number => pieces(text).length

/** Tokens around each message in a chat template. */
const PER_MESSAGE = 4

/** The tokens of a whole prompt: messages, the calls in them, and tools. */
export function promptTokens({ messages, tools }: ChatRequest): number {
  let total = tools.length === 0 ? 0 : countTokens(JSON.stringify(tools))
  for (const { text, calls } of messages) {
    total += PER_MESSAGE + countTokens(text)
    for (const call of calls) total += countTokens(call.name) + countTokens(call.arguments)
  }
  return total
}
