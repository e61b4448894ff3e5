import type { Identified } from '../../gateway/accounts/identified.ts'
import { expand } from '../../gateway/responses/expand.ts'
import { type KeptResponse, type KeptResponses, keeperOf } from '../../gateway/responses/kept-responses.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { Caller } from '../../policy/facts.ts'
import { clientTerms, readClientRequest } from '../../wire/client-request.ts'
import { type DialectBody, parseDialect } from '../../wire/openai/body.ts'
import type { WireRequest } from '../../wire/openai/request.ts'
import { itemsOf, listed, referencesIn } from '../../wire/responses/kept-items.ts'
import { keptNotFound, responseNotFound } from '../../wire/responses/state.ts'
import { oneStep } from '../../wire/steps.ts'
import type { HttpCall } from '../listener/call.ts'
import type { ClientApp } from './client-app.ts'
import type { ClientEndpoint } from './client-family.ts'
import { asksForTools, inference } from './infer.ts'
import { KeptReading } from './kept-reading.ts'
import type { Format } from './receive-request.ts'

/** A body with its kept responses. */
interface ResponsesBody extends DialectBody {
  readonly from?: { readonly previous: string | null; readonly items: readonly string[]; readonly bytes: number }
}

/** Reads bodies of POST /v1/responses; what they refer to is put in its place before. */
const format: Format<ResponsesBody> = {
  elides: 'dialects',
  parse: parseDialect,
  asksPlan: ({ body }, app) => asksForTools(body, app),
  references: {
    isIn: ({ body }, app, caller) => keeperFor(app, caller) !== undefined && referencesIn(body) !== undefined,
    lookUp: async (parsed, { responses, settings }, by) => {
      const references = referencesIn(parsed.body)
      if (!responses || !references) return parsed
      const asking = { ...by, texts: parsed.texts, limitBytes: settings.limits.bodyBytes }
      const expanded = await expand(responses, parsed.body, references, asking)
      if ('denial' in expanded) return expanded
      const { body, texts, items, addedBytes: bytes } = expanded
      const from = { previous: references.previous ?? null, items, bytes }
      return { body, texts, written: undefined, from }
    },
  },
  check: (parsed, app, caller) => {
    const { config, settings, random } = app
    const wire = readClientRequest('responses', parsed, clientTerms(config, settings.brand, caller))
    if ('denial' in wire) return wire
    return { ...wire, ...threadOf(parsed, keeperFor(app, caller), () => Buffer.from(random(18)).toString('hex')) }
  },
}

/** Dependencies of the endpoints of kept responses. */
type KeptApp = Pick<ClientApp, 'responses' | 'settings' | 'turns' | 'bodies'>

/** The keeper of a caller's responses; undefined where none are kept. */
const keeperFor = (
  { responses, settings }: Pick<ClientApp, 'responses' | 'settings'>,
  { kind }: Caller,
): KeptResponses | undefined => (kind === 'guest' && settings.responses?.guests !== true ? undefined : responses)

/** The response that the answer continues, and the items that are kept with it. */
function threadOf(
  { body, texts, from }: ResponsesBody,
  responses: KeptResponses | undefined,
  newId: () => string,
): Pick<WireRequest, 'thread' | 'ignoresStore'> {
  if (!responses) return body.store === true ? { ignoresStore: true } : {}
  const items = body.store === false ? undefined : itemsOf(body.input)
  if (!items && !from) return {}
  const input = items && texts.json(listed(items, newId))
  return {
    thread: {
      previous: from?.previous ?? null,
      ...(input && { said: { input, items: from?.items ?? [] } }),
      bytes: (from?.bytes ?? 0) + (input?.length ?? 0),
    },
  }
}

/** POST /v1/responses, and what may be asked of kept responses. */
export const responsesEndpoints: readonly ClientEndpoint[] = [
  {
    method: 'POST',
    path: '/v1/responses',
    who: 'caller',
    rate: 'plan',
    admits: true,
    infers: true,
    sheds: true,
    run: inference(format),
  },
  {
    method: 'GET',
    path: '/v1/responses/{id}',
    who: 'caller',
    rate: 'reads',
    infers: true,
    sheds: true,
    run: known(showResponse),
  },
  { method: 'DELETE', path: '/v1/responses/{id}', who: 'caller', rate: 'reads', infers: true, run: removeResponse },
  {
    method: 'GET',
    path: '/v1/responses/{id}/input_items',
    who: 'caller',
    rate: 'reads',
    infers: true,
    sheds: true,
    run: known(listInput),
  },
  {
    method: 'POST',
    path: '/v1/responses/{id}/cancel',
    who: 'caller',
    rate: 'reads',
    infers: true,
    run: known(cancelResponse),
  },
]

/** Answers of a kept response of the account, where there is one. */
function known(answer: (kept: KeptResponse, query: URLSearchParams) => { readonly body: object } | Denied) {
  return async (app: KeptApp, call: HttpCall, found: Identified, id: string): Promise<void> => {
    const { caller } = found
    const { turns } = app
    const responses = keeperFor(app, caller)
    if (!responses) return call.deny(responseNotFound(id).denial)
    const reading = new KeptReading(app, call, caller.account)
    // One at a time of an account, so that many at once take no more memory than one until they are written.
    const decided = await turns.take(caller.account)
    try {
      const kept = (await responses.read(keeperOf(found), id, reading)) ?? keptNotFound(id)
      if ('denial' in kept) return call.deny(kept.denial)
      reading.complete()
      const work = oneStep(() => written(answer(kept, queryOf(call)), kept))
      const answered = await reading.work(kept.bytes, work)
      return 'denial' in answered ? call.deny(answered.denial) : call.send(200, 'application/json', answered.bytes)
    } finally {
      decided()
    }
  }
}

/** An answer as bytes: it may be large. */
const written = (
  answer: { readonly body: object } | Denied,
  { texts }: Pick<KeptResponse, 'texts'>,
): { readonly bytes: Buffer } | Denied => ('denial' in answer ? answer : { bytes: texts.json(answer.body) })

const queryOf = ({ request: { url = '' } }: HttpCall): URLSearchParams =>
  new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?')) : '')

/** Only a response that runs in the background could be followed. */
function showResponse({ response }: KeptResponse, query: URLSearchParams) {
  return query.get('stream') === 'true'
    ? invalid('stream', 'is not served here: the response is complete', 'unsupported_value')
    : { body: response }
}

async function removeResponse(app: KeptApp, call: HttpCall, found: Identified, id: string): Promise<void> {
  const responses = keeperFor(app, found.caller)
  if (!responses) return call.deny(responseNotFound(id).denial)
  const isRemoved = await responses.remove(keeperOf(found), id)
  return isRemoved ? call.json(200, { id, object: 'response', deleted: true }) : call.deny(keptNotFound(id).denial)
}

function cancelResponse(): Denied {
  return invalid(
    'id',
    'Cannot cancel a synchronous response, and responses here are always synchronous.',
    'invalid_value',
  )
}

function listInput({ input }: KeptResponse, query: URLSearchParams) {
  const [order, after] = [query.get('order') ?? 'desc', query.get('after')]
  const limit = Number(query.get('limit') ?? 20)
  const problem = pageProblem(order, limit)
  if (problem) return problem
  const all = order === 'asc' ? input : input.toReversed()
  const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1
  if (after !== null && from === 0) return invalid('after', 'is not an item of this list', 'invalid_value')
  const data = all.slice(from, from + limit)
  const [first, last] = [data[0]?.id ?? null, data.at(-1)?.id ?? null]
  return { body: { object: 'list', data, first_id: first, last_id: last, has_more: from + limit < all.length } }
}

function pageProblem(order: string, limit: number): Denied | undefined {
  if (order !== 'asc' && order !== 'desc') return invalid('order', 'must be one of "asc", "desc"', 'invalid_value')
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    return invalid('limit', 'must be an integer from 1 to 100', 'invalid_value')
  return undefined
}
