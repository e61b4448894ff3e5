import { type Address, addressIn, azureAt } from './azure.ts'
import { isBaseUrl } from './base-url.ts'
import type { Variables } from './names.ts'
import type { Found } from './providers.ts'
import type { Left } from './section.ts'

/** A backend of a model in the configuration of another gateway, and what it says of the model. */
export interface Deployment {
  /** The clients' name for the model. */
  readonly name: string
  /** A pool with one replica; undefined where no pool can reach it. */
  readonly pool: Pool | undefined
  readonly model: Said
  /** Which model of which provider it is, whose price a catalogue may have. */
  readonly offer?: { readonly provider: string; readonly model: string; readonly base: string | undefined } | undefined
  readonly order: number
  /** Requests that run there at once, where each replica of a pool has its own count. */
  readonly room?: number | undefined
  /** Lines for a comment above the pool. */
  readonly notes: readonly string[]
  readonly left: readonly Left[]
}

export type Pool = Readonly<Record<string, unknown>> & { readonly replicas: readonly string[] }

/** The file's facts about a backend's model. */
export interface Said {
  readonly kind: 'chat' | 'embedding' | 'image'
  /** Names that keys may have for it together with other models; the first is a tier here. */
  readonly groups: readonly string[]
  readonly context: number | undefined
  readonly maxOutput: number | undefined
  readonly vision: boolean
  readonly inputUsd: number | undefined
  readonly outputUsd: number | undefined
  readonly imageUsd: number | undefined
  /** The prices of tokens that a backend found in its cache, and of those that it wrote there. */
  readonly cachedUsd: number | undefined
  readonly cacheWriteUsd: number | undefined
  /** The name by which a catalogue has the price, where the file has none. */
  readonly listedAs?: string
  /** Long prompts cost more in that catalogue. */
  readonly hasTiers?: boolean
}

/** A model of a provider, by the name that this knows it by. `model` is what stands behind a name of the operator's own. */
export const offerOf = ({ name, provider, model }: Found, own?: string): Deployment['offer'] => ({
  ...{ provider: name, model: own ?? model, base: provider.base },
})

/** The facts of a model about which nothing is said. */
export const NOTHING: Said = {
  ...{ kind: 'chat', groups: [], vision: false },
  ...{ context: undefined, maxOutput: undefined, inputUsd: undefined, outputUsd: undefined, imageUsd: undefined },
  ...{ cachedUsd: undefined, cacheWriteUsd: undefined },
}

/** How a backend is reached, in the words of its gateway. */
export interface Backend {
  readonly found: Found
  readonly kind: Said['kind']
  readonly base?: string | undefined
  readonly apiVersion?: string | undefined
  readonly key?: string | undefined
  /** The variable of a key that the source does not have. */
  readonly variable?: string | undefined
  readonly headers?: readonly (readonly [name: string, text: string])[]
  /** Fields of the pool that follow from nothing else. */
  readonly more?: object
}

/** The surroundings of a pool. */
export interface Around {
  /** The name after which variables of its texts are called. */
  readonly name: string
  /** The variable that a text refers to. */
  readonly reference: (text: string) => string | undefined
  readonly variables: Variables
  /** Lines for a comment above the pool, which are added to. */
  readonly notes: string[]
}

/** A pool with one replica. Texts that are secrets become variables. Undefined where nothing says the address. */
export function poolAt(backend: Backend, { reference, ...surroundings }: Around): Pool | undefined {
  const { found, kind } = backend
  const around: Known = {
    ...surroundings,
    known: text => {
      const name = reference(text)
      return name === undefined ? undefined : surroundings.variables.of(name)
    },
  }
  const isAzure = found.name === 'azure'
  const address = backend.base === undefined ? undefined : addressIn(backend.base, isAzure)
  const base = baseOf({ ...backend, base: address?.base }, around)
  if (base === undefined) return undefined
  const speaks = kind === 'chat' ? (address?.isResponses ? RESPONSES : found.provider.speaks) : undefined
  const model = address?.deployment ?? found.model
  if (model !== found.model) around.notes.push(`The deployment comes from the api_base, not \`${found.model}\`.`)
  const { version, query } = queryOf(backend, address, around)
  const replica = isAzure ? azureAt(base, model, version, speaks?.[0] === 'responses') : base
  const key = keyOf(backend, around)
  return {
    site: isNear(replica) ? 'on-premises' : 'cloud',
    replicas: [replica],
    model,
    ...(speaks && { speaks }),
    ...(key !== undefined && { key, ...(found.provider.auth && { auth: found.provider.auth }) }),
    ...headersOf(backend, around),
    ...(Object.keys(query).length > 0 && { query }),
    ...backend.more,
  }
}

/** The value that a text refers to, as `${NAME}`. */
interface Known extends Omit<Around, 'reference'> {
  readonly known: (text: string) => string | undefined
}

const RESPONSES = ['responses'] as const

/** The version of Azure's API, and what follows the URLs of a pool. Values may be secrets, but for that version. */
function queryOf(
  { found, apiVersion }: Backend,
  address: Address | undefined,
  { name, known, variables, notes }: Known,
) {
  const said = address?.query ?? []
  const own = said.find(([each]) => each === 'api-version')?.[1]
  const version = own ?? apiVersion
  if (own !== undefined && apiVersion !== undefined && own !== apiVersion)
    notes.push(`The version comes from the api_base, not \`${apiVersion}\`.`)
  const others = said.flatMap(([each, value]) => {
    if (each === 'api-version') return []
    const variable = variables.next(value, name, each)
    notes.push(`The api_base had ${each} in it: export it as ${variable}.`)
    return [[each, `\${${variable}}`] as const]
  })
  const isSent = version !== undefined && version !== 'v1' && (found.name === 'azure' || own !== undefined)
  return {
    version,
    query: { ...(isSent && { 'api-version': known(version) ?? version }), ...Object.fromEntries(others) },
  }
}

function baseOf({ found: { provider }, base }: Backend, { name, known, variables, notes }: Known) {
  const said = base
    ?.trim()
    .replace(/\/+$/, '')
    .replace(/\/(chat\/completions|messages)$/, '')
  if (said === undefined || said === '') return provider.base
  const path = provider.path !== undefined && !said.endsWith(provider.path) ? provider.path : ''
  const variable = known(said)
  if (variable !== undefined) return `${variable}${path}`
  if (!said.includes('${') && isBaseUrl(said)) return `${said}${path}`
  const own = variables.next(said, name, 'api_base')
  notes.push(`The api_base is not an address: export ${own}.`)
  return `\${${own}}${path}`
}

function keyOf({ found: { provider }, key, base, variable: own }: Backend, { name, known, variables, notes }: Known) {
  const said = key?.trim()
  if (said === undefined || said === '') {
    if (own !== undefined) return `\${${own}}`
    return provider.variable === undefined ? undefined : variables.of(provider.variable)
  }
  const variableOf = known(said)
  if (variableOf !== undefined) return variableOf
  if (base !== undefined && NO_KEY.test(said)) {
    notes.push(`\`${said}\` means no key, so none is sent: set key of the pool if the backend needs one.`)
    return undefined
  }
  const variable = variables.next(said, name, 'api_key')
  notes.push(`The key was a text in the file: export it as ${variable}.`)
  return `\${${variable}}`
}

/** Texts written for a key where a client wants one and a backend does not. */
const NO_KEY =
  /^(sk-)?(none|null|no-?key|empty|dummy|fake|anything|unused|ignored|placeholder|(my[-_])?(fake|dummy)[-_](api[-_])?key|no[-_]key[-_]\w+|not[-_](needed|used|required))$/i

/** Values of headers may be secrets: those that are no reference become variables. */
function headersOf({ headers = [] }: Backend, { name, known, variables, notes }: Known): object {
  const written = headers.map(([header, text]) => {
    const own = known(text)
    if (own !== undefined) return [header, own]
    const variable = variables.next(text, name, header)
    notes.push(`The header ${header} was a text in the file: export it as ${variable}.`)
    return [header, `\${${variable}}`]
  })
  return written.length > 0 ? { headers: Object.fromEntries(written) } : {}
}

/** The kind of a model by its name; undefined for those that no pool answers. */
export function kindOf(called: string): Said['kind'] | undefined {
  if (/whisper|tts|rerank|moderation|realtime|transcribe/i.test(called)) return undefined
  if (/embed|voyage-|\bbge-/i.test(called)) return 'embedding'
  return /dall-e|gpt-image|stable-diffusion|flux/i.test(called) ? 'image' : 'chat'
}

/** US dollars for a million tokens, by those for one; prices have six decimals. */
export const perMillion = (usd: number): number => Number((usd * 1e6).toFixed(6))

export const secondsText = (seconds: number): string =>
  Number.isInteger(seconds) ? `${seconds}s` : `${Math.max(1, Math.round(seconds * 1000))}ms`

export const isNear = (url: string): boolean =>
  /^https?:\/\/(localhost|127\.|0\.0\.0\.0|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|[\w-]+(:|\/|$)|[\w.-]+\.(local|internal|svc)\b)/.test(
    url,
  )
