import { type Call, jsonBody, refuseInvalid, refuseModel, send } from '../call.ts'
import { isInvalid } from '../json.ts'
import { countTokens } from '../tokens.ts'
import { paint } from './painter.ts'
import { png } from './png.ts'
import { type ImageRequest, parseImageRequest } from './request.ts'

/** The name of the program that really draws, whatever name a request gave it. */
export const PAINTER = 'a program that draws landscapes (no image model)'

/** POST /v1/images/generations. */
export async function images(call: Call): Promise<void> {
  const { options, response } = call
  const body = await jsonBody(call)
  if (body === undefined) return
  const request = parseImageRequest(body)
  if (isInvalid(request)) return refuseInvalid(response, request)
  if (!options.images?.includes(request.model)) return refuseModel(response, request.model)

  const data: { b64_json: string }[] = []
  for (let index = 0; index < request.n && !response.destroyed; index++) {
    const picture = await png(paint(request.prompt, index, request.size), `svc-gateway demo: ${PAINTER}`)
    data.push({ b64_json: picture.toString('base64') })
  }
  send(response, 200, { created: Math.floor(options.now() / 1000), data, usage: usageOf(request) }, PAINTER)
}

/** Pixels on each side of what an image model counts as one token. */
const PATCH = 16

function usageOf({ prompt, size, n }: ImageRequest): object {
  const input = countTokens(prompt)
  const output = n * Math.ceil(size.width / PATCH) * Math.ceil(size.height / PATCH)
  return { input_tokens: input, output_tokens: output, total_tokens: input + output }
}
