import { absent, firstBroken, type Invalid, isCount, isObject, number, text } from '../json.ts'
import type { Size } from './painter.ts'

/** A request for pictures, parsed. */
export interface ImageRequest {
  readonly model: string
  readonly prompt: string
  readonly size: Size
  readonly n: number
}

/** The word DEMO is 16 pixels wide, and a longer side takes a noticeable time. */
const SIDE_MIN = 16
const SIDE_MAX = 1024

/** Reads a request body, or says what is wrong with it. */
export function parseImageRequest(body: unknown): ImageRequest | Invalid {
  if (!isObject(body)) return { param: null, message: 'the body must be a JSON object' }
  const size = sizeFrom(absent(body.size) ? '1024x1024' : text(body.size))
  if (!size) return { param: 'size', message: `size must be WIDTHxHEIGHT, each from ${SIDE_MIN} to ${SIDE_MAX}` }
  const form = body.response_format
  const invalid = firstBroken([
    ['model', text(body.model) !== '', 'must name a model'],
    ['prompt', text(body.prompt) !== '', 'must be a non-empty string'],
    ['n', absent(body.n) || isCount(body.n, 4), 'must be an integer from 1 to 4'],
    ['response_format', absent(form) || form === 'b64_json', 'must be b64_json: no picture is kept for a url'],
  ])
  return invalid ?? { model: text(body.model), prompt: text(body.prompt), size, n: number(body.n) ?? 1 }
}

function sizeFrom(value: string): Size | undefined {
  const [, width = 0, height = 0] = (/^(\d{1,4})x(\d{1,4})$/.exec(value) ?? []).map(Number)
  const fits = [width, height].every(side => side >= SIDE_MIN && side <= SIDE_MAX)
  return fits ? { width, height } : undefined
}
