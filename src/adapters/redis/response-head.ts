import { type Complete, present } from '../../records/fields.ts'
import { namesIn, type Places } from '../../records/places.ts'
import type { ResponseHead } from '../../records/response.ts'

// The head of a kept response is its numbers and behind them its items, with blanks between. redis/responses/kept.lua has it under
// the id of the response.

/** The place of a response counts those of its account. */
type HeadNumber = 'place' | Exclude<keyof ResponseHead, 'id' | 'items'>

/**
 * A new number does not compile until it is here. The items follow the numbers, so that it needs another form of the text.
 * `node scripts/generate.js` writes redis/responses/head.lua from here.
 */
export const HEAD_PLACES: Places<HeadNumber> = { place: 0, expiresAt: 1, bytes: 2 }

/** The place has so many digits, by which names of items sort. */
export const PLACE_DIGITS = 16

const NUMBERS = namesIn(HEAD_PLACES).length

export function readHead(id: string, text: string): ResponseHead & { readonly place: number } {
  const words = text.split(' ')
  const at = (name: HeadNumber) => Number(words[HEAD_PLACES[name]])
  const items = words.slice(NUMBERS)
  const head: Complete<ResponseHead> = { id, items, bytes: at('bytes'), expiresAt: at('expiresAt') }
  return { ...present<ResponseHead>(head), place: at('place') }
}
