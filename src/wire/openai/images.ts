import type { DeclaredFields } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { ImageAsk } from '../../policy/facts.ts'
import type { WholeAnswer } from '../answer-reader.ts'
import { endUserOf } from '../end-user.ts'
import { joined } from '../fast/joined.ts'
import { findPictures } from '../fast/picture-list.ts'
import { parse } from '../json-bytes.ts'
import { isObject, type JsonObject } from '../json-safety.ts'
import { allAtOnce, type Steps } from '../steps.ts'
import { isCount } from '../usage/usage.ts'
import type { AnswerTerms } from './answer.ts'
import { type ParsedBody, parseBody } from './body.ts'
import { extraBytes, type Fields, isInvalid, readFields, unsentOf, withoutFields } from './fields.ts'
import type { BodyTerms, WireRequest } from './request.ts'
import { deniedBy, validator } from './validate.ts'

const validate = validator({
  type: 'object',
  required: ['prompt'],
  properties: {
    model: { type: ['string', 'null'], minLength: 1, maxLength: 256 },
    prompt: { type: 'string', minLength: 1, maxLength: 32_000 },
    n: { type: ['integer', 'null'], minimum: 1, maximum: 4 },
    size: {
      type: ['string', 'null'],
      pattern: '^(?:[1-9][0-9]{1,4}x[1-9][0-9]{1,4}|auto)$',
      description: 'must be <width>x<height>, such as 512x512, or auto',
    },
    response_format: { enum: ['b64_json', 'url', null] },
    user: { type: ['string', 'null'], maxLength: 512 },
  },
})

/** Reads the body of POST /v1/images/generations. */
export function readImages(bytes: Buffer, declared?: DeclaredFields): WireRequest | Denied {
  const parsed = parseBody(bytes)
  return 'denial' in parsed ? parsed : checkImages(parsed, declared)
}

/** Checks a body that is parsed already. */
export function checkImages(parsed: ParsedBody, declared?: DeclaredFields): WireRequest | Denied {
  const { body } = parsed
  const fields = readFields('image', body, declared)
  if (isInvalid(fields)) return invalid(fields.field, fields.problem)
  const denied = deniedBy(body, validate)
  if (denied) return denied

  const { model, prompt, n, size, response_format } = body
  const user = endUserOf(body.user)
  const request: ImageAsk = {
    kind: 'image',
    ...(typeof model === 'string' && { model }),
    textBytes: Buffer.byteLength(String(prompt)) + extraBytes(fields),
    ...(user !== undefined && { user }),
    images: typeof n === 'number' ? n : 1,
    ...(typeof size === 'string' && size !== AUTO && { size }),
    ...(fields.extras && { extras: fields.extras }),
  }
  const readInSteps = (answer: Buffer, terms: AnswerTerms) =>
    readPictures(answer, { ...request, asUrl: response_format === 'url' }, terms)
  return {
    request,
    bodyFor: (backendModel, _output, terms = {}) => backendImages(body, fields, request, backendModel, terms),
    readAnswer: (answer, terms) => allAtOnce(readInSteps(answer, terms)),
    readInSteps,
  }
}

/** The size that the model makes first. */
const AUTO = 'auto'

/** The body for one backend. They differ in their default size and form, so both are always said. */
function backendImages(
  body: JsonObject,
  fields: Fields,
  { images }: ImageAsk,
  model: string,
  { imageSize: size, accepts }: BodyTerms,
): Buffer {
  const known = withoutFields(body, unsentOf(fields, accepts))
  return Buffer.from(JSON.stringify({ ...known, model, n: images, size, response_format: 'b64_json' }))
}

/** The request for pictures, and whether each is to be the text of a URL. */
interface PicturesAsk extends ImageAsk {
  readonly asUrl: boolean
}

/** Reads a backend's pictures; undefined unless there are as many PNGs as were asked for. */
function* readPictures(bytes: Buffer, request: PicturesAsk, terms: AnswerTerms): Steps<WholeAnswer | undefined> {
  const answer = (yield* foundPictures(bytes)) ?? parsedPictures(bytes)
  if (answer?.pictures.length !== request.images || !answer.pictures.every(isPng)) return undefined

  const { pictures } = answer
  const usage = readImageUsage(answer.usage)
  const { inputTokens, outputTokens } = usage ?? { inputTokens: Math.ceil(request.textBytes / 4), outputTokens: 0 }
  const told = {
    input_tokens: inputTokens,
    // A request for pictures has no picture in it.
    input_tokens_details: { text_tokens: inputTokens, image_tokens: 0 },
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  }
  const created = typeof answer.created === 'number' ? answer.created : terms.created
  // Nothing is kept that a URL of ours could lead to.
  const [before, after] = request.asUrl ? ['{"url":"data:image/png;base64,', '"}'] : ['{"b64_json":"', '"}']
  const list = pictures.flatMap((picture, at) => [
    Buffer.from(`${at === 0 ? '' : ','}${before}`),
    picture,
    Buffer.from(after),
  ])
  const pieces = [
    Buffer.from(`{"created":${JSON.stringify(created)},"data":[`),
    ...list,
    Buffer.from(`],"usage":${JSON.stringify(told)}}`),
  ]
  return { bytes: yield* joined(pieces), ...(usage && { usage }), outputBytes: 0, items: pictures.length }
}

/** The pictures of a backend's answer: the base64 of each as it stands in JSON, undefined where there is none. */
interface Pictures {
  readonly pictures: readonly (Buffer | undefined)[]
  readonly created: unknown
  readonly usage: unknown
}

function* foundPictures(bytes: Buffer): Steps<Pictures | undefined> {
  const found = yield* findPictures(bytes)
  if (!found) return undefined
  const { items, created, usage } = found
  return { pictures: items.map(item => item && bytes.subarray(item.start, item.end)), created, usage }
}

/** Reads the pictures with a parser, where the fast pass cannot. */
function parsedPictures(bytes: Buffer): Pictures | undefined {
  const answer = parse(bytes.toString('utf8'))
  if (!isObject(answer) || !Array.isArray(answer.data)) return undefined
  const pictures = answer.data.map(item =>
    isObject(item) && typeof item.b64_json === 'string'
      ? Buffer.from(JSON.stringify(item.b64_json).slice(1, -1))
      : undefined,
  )
  return { pictures, created: answer.created, usage: answer.usage }
}

/** The first eight bytes of every PNG. */
const PNG_START = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const isPng = (picture: Buffer | undefined): picture is Buffer =>
  picture !== undefined &&
  Buffer.from(picture.toString('latin1', 0, 12), 'base64')
    .subarray(0, 8)
    .equals(PNG_START)

function readImageUsage(value: unknown): WholeAnswer['usage'] {
  if (!isObject(value)) return undefined
  const { input_tokens, output_tokens } = value
  return isCount(input_tokens) && isCount(output_tokens)
    ? { inputTokens: input_tokens, outputTokens: output_tokens }
    : undefined
}
