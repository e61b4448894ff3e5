import {
  type Deployment,
  isNear,
  kindOf,
  NOTHING,
  offerOf,
  type Pool,
  perMillion,
  poolAt,
  type Said,
  secondsText,
} from '../deployment.ts'
import { headersIn } from '../headers.ts'
import { apart, type Variables } from '../names.ts'
import { type Found, hasProvider, providerOf } from '../providers.ts'
import { firstNumber, Section } from '../section.ts'
import { INFO, PARAMS } from './reasons.ts'

/** Reads an entry of `model_list`. `path` is where it stands. */
export function deploymentOf(entry: unknown, path: string, variables: Variables): Deployment {
  const section = new Section(entry, path)
  const name = section.text('model_name') ?? ''
  const params = section.section('litellm_params')
  const info = section.section('model_info')
  const notes: string[] = []
  const called = params.text('model') ?? name
  const found = foundOf(called, params, info) ?? openAiAt(called, params, notes)
  const model = saidOf(params, info, called, name)
  const headers = [params.section('extra_headers'), params.section('headers')]
  const pool = found && model ? poolOf(found, { name, params, headers, notes, variables, kind: model.kind }) : undefined
  const why = found ? undefined : whyNot(called, params.text('custom_llm_provider'))
  const [order, room] = [params.number('order') ?? 0, params.number('max_parallel_requests') || undefined]
  if (name === '') section.refuse('model_name', 'it has none')
  if (why !== undefined) params.refuse('model', why)
  const left = [
    ...section.left({ tpm: PARAMS.tpm ?? '', rpm: PARAMS.rpm ?? '' }),
    // One line is enough for a backend that cannot be reached.
    ...(pool
      ? [...params.left(PARAMS), ...headers.flatMap(each => each.left({})), ...info.left(INFO)]
      : params.left(PARAMS).slice(0, 1)),
  ]
  const offer = found && offerOf(found, info.text('base_model')?.replace(/^azure\//, ''))
  return { name, pool, model: model ?? NOTHING, offer, order, room, notes, left }
}

function foundOf(called: string, params: Section, info: Section): Found | undefined {
  const known = providerOf(called, params.text('custom_llm_provider'))
  if (known === undefined) return undefined
  const { found, why } = withoutMarks(known, info.text('mode'))
  if (why !== undefined) params.refuse('model', why)
  return found
}

/** A backend without what LiteLLM writes before the name of its model, which the backend does not know, and what was lost of that. */
function withoutMarks(found: Found, mode: string | undefined): { readonly found: Found; readonly why?: string } {
  const [, marks = '', model = found.model] = MARKS.exec(found.model) ?? []
  const isSpoken = (marks.includes('responses/') || mode === 'responses') && found.provider.speaks === undefined
  const series = found.name === 'azure' ? /(o|gpt5)_series\//.exec(marks)?.[0] : undefined
  const isMarked = found.provider.speaks === undefined && (found.name === 'azure' || !marks.includes('_series'))
  const own = isMarked ? { ...found, model } : found
  return {
    found: isSpoken ? { ...own, provider: { ...own.provider, speaks: ['responses'] } } : own,
    ...(series !== undefined && !isSpoken && { why: `\`${series}\` ${RENAMED}` }),
  }
}

const MARKS = /^((?:responses\/|o_series\/|gpt5_series\/)+)(.+)$/
const RENAMED = 'renames max_tokens to max_completion_tokens: here clients send it, or use `speaks: [responses]`'

function whyNot(called: string, custom: string | undefined): string {
  if (called === '' || called.endsWith('/')) return 'it names no model'
  const why = hasProvider(called, custom)
    ? 'its provider has its own format or signature'
    : 'its provider is unknown, and it has no api_base'
  return `no pool can call \`${called}\`: ${why}`
}

/** A provider that is not in the table speaks chat completions, where the file says its address. */
const openAiAt = (model: string, params: Section, notes: string[]) => {
  const base = params.text('api_base')
  if (base === undefined || model === '' || hasProvider(model, params.text('custom_llm_provider'))) return undefined
  const [head, ...rest] = model.split('/')
  if (rest.length > 0)
    notes.push(`Requests name it \`${model}\`: write \`${rest.join('/')}\` if \`${head}\` is a provider.`)
  return { name: 'openai', provider: {}, model }
}

interface Asked {
  readonly name: string
  readonly params: Section
  readonly headers: readonly Section[]
  readonly notes: string[]
  readonly variables: Variables
  readonly kind: Said['kind']
}

function poolOf(found: Found, { params, headers, kind, ...around }: Asked): Pool | undefined {
  const cost = costOf(params)
  const base = params.text('api_base') ?? params.text('base_url')
  if (found.name === 'huggingface' && base === undefined && kind === 'embedding')
    return params.refuse('model', 'Hugging Face answers only chats at the address that its models share')
  const backend = {
    ...{ found: found.name === 'huggingface' ? huggingFace(found, base) : found, kind, base },
    apiVersion: params.text('api_version'),
    key: apart(params.text('api_key'), params.path),
    headers: headersOf(params, headers),
    more: { ...timesOf(params), ...(cost && kind === 'chat' && { cost_usd_per_1m: cost }) },
  }
  return poolAt(backend, { ...around, reference }) ?? params.refuse('api_base', 'no address is known')
}

/** A server of one's own needs no key. The others take `owner/model:provider` where LiteLLM has `provider/owner/model`. */
function huggingFace(found: Found, base: string | undefined): Found {
  const { variable, ...provider } = found.provider
  if (base === undefined) return { ...found, model: found.model.replace(/^([^/]+)\/([^/]+\/[^/]+)$/, '$2:$1') }
  return isNear(base) ? { ...found, provider } : found
}

/** The name in `os.environ/NAME`. */
const reference = (text: string): string | undefined => /^os\.environ\/([A-Za-z_]\w*)$/.exec(text.trim())?.[1]

function headersOf(params: Section, sections: readonly Section[]): readonly (readonly [string, string])[] {
  const organization = params.text('organization')
  const agent = params.text('custom_user_agent')
  const own = [['OpenAI-Organization', organization] as const, ['User-Agent', agent] as const]
  return [
    ...sections.flatMap(headersIn),
    ...own.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const])),
  ]
}

function timesOf(params: Section): object {
  const timeout = firstNumber([params, 'timeout'], [params, 'request_timeout'])
  const streamTimeout = params.number('stream_timeout')
  return {
    ...(timeout && { answer_timeout: secondsText(timeout) }),
    ...(streamTimeout && { first_content_timeout: secondsText(streamTimeout) }),
  }
}

function costOf(params: Section): object | undefined {
  const [input, output] = [params.number('input_cost_per_token'), params.number('output_cost_per_token')]
  return input === undefined || output === undefined || isTooMuch(input) || isTooMuch(output)
    ? undefined
    : { input: perMillion(input), output: perMillion(output) }
}

/** US dollars for a token, by the model or else by its backend. A price that may not be written is refused. */
function usdOf(info: Section, params: Section, field: string): number | undefined {
  const usd = firstNumber([info, field], [params, field])
  if (usd === undefined || !isTooMuch(usd)) return usd
  const section = info.names().includes(field) ? info : params
  return section.refuse(field, `a price is at most ${MOST_USD} US dollars per million tokens`)
}

const isTooMuch = (usd: number): boolean => perMillion(usd) > MOST_USD
const MOST_USD = 500

/** The kind by the mode, or else by the names of the model: that of the backend, and what it is called there and here. */
function kindSaid(info: Section, called: string, name: string): Said['kind'] | undefined {
  const mode = info.text('mode')
  if (mode !== undefined) return Object.hasOwn(KINDS, mode) ? KINDS[mode] : undefined
  const base = info.text('base_model')
  if (base !== undefined) info.refuse('base_model', INFO.base_model ?? '')
  const kinds = [called, base ?? '', name].map(kindOf)
  return kinds.every(kind => kind === 'chat') ? 'chat' : kinds.find(kind => kind !== 'chat')
}

function saidOf(params: Section, info: Section, called: string, name: string): Said | undefined {
  const kind = kindSaid(info, called, name)
  if (kind === undefined) {
    info.refuse('mode', 'pools answer chats, embeddings and images; use passthrough for other paths')
    params.refuse('model', `\`${called}\` is not a model for chats, embeddings or images: use passthrough`)
    return undefined
  }
  const groups = info.take('access_groups')
  return {
    kind,
    groups: Array.isArray(groups) ? groups.map(String) : [],
    context: firstNumber([info, 'max_input_tokens'], [info, 'max_tokens']),
    maxOutput: firstNumber([params, 'max_tokens'], [params, 'max_completion_tokens'], [info, 'max_output_tokens']),
    vision: info.take('supports_vision') === true,
    inputUsd: usdOf(info, params, 'input_cost_per_token'),
    outputUsd: usdOf(info, params, 'output_cost_per_token'),
    imageUsd: firstNumber([info, 'output_cost_per_image'], [info, 'input_cost_per_image']),
    cachedUsd: usdOf(info, params, 'cache_read_input_token_cost'),
    cacheWriteUsd: usdOf(info, params, 'cache_creation_input_token_cost'),
  }
}

const KINDS: Readonly<Record<string, Said['kind']>> = {
  chat: 'chat',
  responses: 'chat',
  embedding: 'embedding',
  image_generation: 'image',
}
