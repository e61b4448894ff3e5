import { FORMATS } from '../../../config/check/formats.ts'
import type { Variables } from './names.ts'
import { type Provider, providerOf } from './providers.ts'
import { INFO, PARAMS } from './reasons.ts'
import { type Left, Section, withVariables } from './section.ts'

/** An entry of `model_list`: a backend of a model, and what it says of the model. */
export interface Deployment {
  /** What clients call it by. */
  readonly name: string
  /** A pool with one replica; undefined where no pool can reach it. */
  readonly pool: Pool | undefined
  readonly model: Said
  readonly order: number
  /** Lines for a comment above the pool. */
  readonly notes: readonly string[]
  readonly left: readonly Left[]
}

export type Pool = Readonly<Record<string, unknown>> & { readonly replicas: readonly string[] }

/** What an entry says of the model that it serves. */
export interface Said {
  readonly kind: 'chat' | 'embedding' | 'image'
  readonly tier: string
  readonly context: number | undefined
  readonly maxOutput: number | undefined
  readonly vision: boolean
  readonly inputUsd: number | undefined
  readonly outputUsd: number | undefined
  readonly imageUsd: number | undefined
}

/** Reads an entry. `path` is where it stands. Texts that are secrets become variables. */
export function deploymentOf(entry: unknown, path: string, variables: Variables): Deployment {
  const section = new Section(entry, path)
  const name = section.text('model_name') ?? ''
  const params = section.section('litellm_params')
  const info = section.section('model_info')
  const notes: string[] = []
  const called = params.text('model') ?? name
  const found = providerOf(called, params.text('custom_llm_provider')) ?? openAiAt(called, params)
  const model = saidOf(params, info, called)
  const pool = found && model ? poolOf(found, { name, params, notes, variables, kind: model.kind }) : undefined
  const why = found ? undefined : `no pool speaks to \`${called}\`: its provider has a form or a signature of its own`
  if (name === '') section.refuse('model_name', 'it has none')
  if (why !== undefined) params.refuse('model', why)
  const left = [
    ...section.left({ tpm: PARAMS.tpm ?? '', rpm: PARAMS.rpm ?? '' }),
    // Of what cannot be reached, one line is enough.
    ...(pool ? [...params.left(PARAMS), ...info.left(INFO)] : params.left(PARAMS).slice(0, 1)),
  ]
  return { name, pool, model: model ?? NOTHING, order: params.number('order') ?? 0, notes, left }
}

/** A provider that is not in the table speaks chat completions, where the file says its address. */
const openAiAt = (model: string, params: Section) => {
  const base = params.text('api_base')
  return base === undefined || model === '' || model.startsWith('auto_router/')
    ? undefined
    : { name: 'openai', provider: {}, model }
}

type Told = Pick<Asked, 'name' | 'notes' | 'variables'>

interface Asked {
  readonly name: string
  readonly params: Section
  readonly notes: string[]
  readonly variables: Variables
  readonly kind: Said['kind']
}

type Found = NonNullable<ReturnType<typeof providerOf>>

function poolOf({ name: by, provider, model }: Found, asked: Asked): Pool | undefined {
  const { params, kind } = asked
  const version = params.text('api_version')
  const base = baseOf(params, provider, asked)
  if (base === undefined) return undefined
  const azure = version === undefined ? `${base}/openai/v1` : `${base}/openai/deployments/${model}`
  const replica = by === 'azure' ? azure : base
  const key = keyOf(params, provider, asked)
  const cost = costOf(params)
  return {
    site: isNear(replica) ? 'on-premises' : 'cloud',
    replicas: [replica],
    model,
    ...(provider.speaks && kind === 'chat' && { speaks: provider.speaks }),
    ...(key !== undefined && { key, ...(provider.auth && { auth: provider.auth }) }),
    ...headersOf(params, asked),
    ...(by === 'azure' && version !== undefined && { query: { 'api-version': version } }),
    ...timesOf(params),
    ...(cost && kind === 'chat' && { cost_usd_per_1m: cost }),
  }
}

function timesOf(params: Section): object {
  const timeout = params.number('timeout') ?? params.number('request_timeout')
  const streamTimeout = params.number('stream_timeout')
  const concurrent = params.number('max_parallel_requests')
  return {
    ...(timeout && { answer_timeout: secondsText(timeout) }),
    ...(streamTimeout && { first_content_timeout: secondsText(streamTimeout) }),
    ...(concurrent && { max_concurrent: concurrent }),
  }
}

function baseOf(params: Section, provider: Provider, { name, notes, variables }: Told): string | undefined {
  const said = (params.text('api_base') ?? params.text('base_url'))?.trim().replace(/\/+$/, '')
  if (said === undefined || said === '') {
    if (provider.base === undefined) params.refuse('api_base', 'no address is known')
    return provider.base
  }
  const known = withVariables(said)
  const path = provider.path !== undefined && !said.endsWith(provider.path) ? provider.path : ''
  if (known?.startsWith('${')) return `${known}${path}`
  if (known !== undefined && FORMATS['x-base-url']?.read(known) !== undefined) return `${known}${path}`
  const variable = variables.next(said, name, 'api_base')
  notes.push(`The api_base is no address: export ${variable}.`)
  return `\${${variable}}${path}`
}

function keyOf(params: Section, provider: Provider, { name, notes, variables }: Told): string | undefined {
  const said = params.text('api_key')?.trim()
  if (said === undefined || said === '') return provider.variable === undefined ? undefined : `\${${provider.variable}}`
  const known = said.startsWith('os.environ/') ? withVariables(said) : undefined
  if (known !== undefined) return known
  const variable = variables.next(said, name, 'api_key')
  notes.push(`The key was a text in the file: export it as ${variable}.`)
  return `\${${variable}}`
}

/** Values of headers may be secrets: those that are no reference become variables. */
function headersOf(params: Section, { name, notes, variables }: Told): { readonly headers?: object } {
  const section = params.section('extra_headers')
  const organization = params.text('organization')
  const texts = section.names().map(header => [header, section.text(header)] as const)
  const all = [...texts, ['OpenAI-Organization', organization] as const].flatMap(([header, text]) =>
    text === undefined ? [] : [[header, text] as const],
  )
  const headers = all.map(([header, text]) => {
    const known = text.startsWith('os.environ/') ? withVariables(text) : undefined
    if (known !== undefined) return [header, known]
    const variable = variables.next(text, name, header)
    notes.push(`The header ${header} was a text in the file: export it as ${variable}.`)
    return [header, `\${${variable}}`]
  })
  return headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}
}

function costOf(params: Section): object | undefined {
  const [input, output] = [params.number('input_cost_per_token'), params.number('output_cost_per_token')]
  return input === undefined || output === undefined
    ? undefined
    : { input: perMillion(input), output: perMillion(output) }
}

function saidOf(params: Section, info: Section, called: string): Said | undefined {
  const kind = kindOf(info.text('mode'), called)
  if (kind === undefined) {
    info.refuse('mode', 'pools answer chats, embeddings and images; passthrough takes other paths')
    params.refuse('model', `\`${called}\` is no model for chats, embeddings or images: write passthrough`)
    return undefined
  }
  const groups = info.take('access_groups')
  const [group, ...others] = Array.isArray(groups) ? groups.map(String) : []
  if (others.length > 0) info.refuse('access_groups', `a model has one tier, which is ${group}`)
  return {
    kind,
    tier: group !== undefined && /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(group) ? group : 'standard',
    context: info.number('max_input_tokens') ?? info.number('max_tokens'),
    maxOutput: params.number('max_tokens') ?? info.number('max_output_tokens'),
    vision: info.take('supports_vision') === true,
    inputUsd: info.number('input_cost_per_token') ?? params.number('input_cost_per_token'),
    outputUsd: info.number('output_cost_per_token') ?? params.number('output_cost_per_token'),
    imageUsd: info.number('output_cost_per_image') ?? info.number('input_cost_per_image'),
  }
}

function kindOf(mode: string | undefined, called: string): Said['kind'] | undefined {
  if (mode !== undefined) return Object.hasOwn(KINDS, mode) ? KINDS[mode] : undefined
  if (/whisper|tts|rerank|moderation|realtime|transcribe/i.test(called)) return undefined
  if (/embed|voyage-|\bbge-/i.test(called)) return 'embedding'
  return /dall-e|gpt-image|stable-diffusion|flux/i.test(called) ? 'image' : 'chat'
}

const KINDS: Readonly<Record<string, Said['kind']>> = {
  chat: 'chat',
  responses: 'chat',
  embedding: 'embedding',
  image_generation: 'image',
}

const NOTHING: Said = {
  ...{ kind: 'chat', tier: 'standard', vision: false },
  ...{ context: undefined, maxOutput: undefined, inputUsd: undefined, outputUsd: undefined, imageUsd: undefined },
}

/** US dollars for a million tokens, by those for one; prices have six decimals. */
export const perMillion = (usd: number): number => Number((usd * 1e6).toFixed(6))

export const secondsText = (seconds: number): string =>
  Number.isInteger(seconds) ? `${seconds}s` : `${Math.max(1, Math.round(seconds * 1000))}ms`

const isNear = (url: string): boolean =>
  /^https?:\/\/(localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|[\w-]+(:|\/|$)|[\w.-]+\.(local|internal|svc)\b)/.test(
    url,
  )
