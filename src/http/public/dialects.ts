import type { Identified } from '../../gateway/accounts/identified.ts'
import type { Config } from '../../policy/config.ts'
import { type Denied, invalid } from '../../policy/denial.ts'
import type { ClientDialectName } from '../../policy/dialect-members.ts'
import type { InferenceRequest } from '../../policy/facts.ts'
import { choose } from '../../policy/model.ts'
import { CLIENT_DIALECTS } from '../../wire/client-dialects.ts'
import { clientTerms, readClientRequest } from '../../wire/client-request.ts'
import { asObject, type JsonObject } from '../../wire/json-safety.ts'
import { type DialectBody, outlineOf, parseDialect } from '../../wire/openai/body.ts'
import { checkChat } from '../../wire/openai/chat.ts'
import { tokensOf } from '../../wire/token-count.ts'
import type { HttpCall } from '../listener/call.ts'
import type { ClientEndpoint } from './client-family.ts'
import { asksForTools, inference } from './infer.ts'
import { type ReceiveApp, receive } from './receive.ts'
import type { Format } from './receive-request.ts'
import { responsesEndpoints } from './responses.ts'

/** Reads bodies of POST /v1/messages. */
const messages: Format<DialectBody> = {
  elides: 'dialects',
  parse: parseDialect,
  asksPlan: ({ body }, app) => asksForTools(body, app),
  check: (parsed, { config, settings }, caller) =>
    readClientRequest('messages', parsed, clientTerms(config, settings.brand, caller)),
}

/** The endpoints of each client dialect. */
const ENDPOINTS: Readonly<Record<ClientDialectName, readonly ClientEndpoint[]>> = {
  responses: [
    ...responsesEndpoints,
    {
      method: 'POST',
      path: '/v1/responses/input_tokens',
      who: 'caller',
      rate: 'reads',
      infers: true,
      sheds: true,
      run: counting('responses', input_tokens => ({ object: 'response.input_tokens', input_tokens })),
    },
  ],
  messages: [
    {
      method: 'POST',
      path: '/v1/messages',
      who: 'caller',
      rate: 'plan',
      admits: true,
      infers: true,
      sheds: true,
      run: inference(messages),
    },
    {
      method: 'POST',
      path: '/v1/messages/count_tokens',
      who: 'caller',
      rate: 'reads',
      infers: true,
      sheds: true,
      run: counting('messages', input_tokens => ({ input_tokens })),
    },
  ],
}

/** The endpoints of the dialects other than that of chats. */
export const dialectEndpoints: readonly ClientEndpoint[] = Object.values(ENDPOINTS).flat()

/** Says how many tokens the prompt of a body has, by our own estimate. It costs nothing, and counts in no limit. */
function counting(dialect: ClientDialectName, answer: (tokens: number) => object) {
  const { client } = CLIENT_DIALECTS[dialect]
  return async (app: ReceiveApp, call: HttpCall, found: Identified): Promise<void> => {
    const { config, settings } = app
    const terms = clientTerms(config, settings.brand, found.caller)
    const check = ({ body, texts }: DialectBody) => {
      const asked = client.countable(body, { ...terms, texts, passes: true })
      if ('denial' in asked) return asked
      const checked = checkChat(outlineOf(asked.chat, texts), terms.names, terms.declared)
      return 'denial' in checked ? checked : countedFor(config, checked.request, asObject(texts.whole(asked.chat)))
    }
    const received = await receive(app, call, found, { elides: 'dialects', parse: parseDialect, check })
    if ('denial' in received) return call.deny(received.denial, received.rate)
    const { value, decided, release } = received
    decided()
    release()
    call.json(200, answer(value.tokens))
  }
}

/** The tokens of a chat for the model that would answer it. */
function countedFor(config: Config, request: InferenceRequest, chat: JsonObject): { readonly tokens: number } | Denied {
  const chosen = choose(config, request)
  if ('denial' in chosen) return chosen
  const { model } = chosen
  return model.kind === 'chat'
    ? { tokens: tokensOf(chat, model.imageTokens) }
    : invalid('model', `${model.name} is not a chat model`)
}
