import { type Deployment, kindOf, NOTHING, offerOf, poolAt, secondsText } from '../deployment.ts'
import { headersIn } from '../headers.ts'
import { isObject } from '../json.ts'
import { apart, type Variables } from '../names.ts'
import { type Found, providerNamed, providerOf } from '../providers.ts'
import { type Left, Section } from '../section.ts'
import { KEY, NETWORK, PROVIDER } from './reasons.ts'

/** A backend for each model of each key of a provider. `asked` are names that clients use, where a key serves all models. */
export function deploymentsOf(name: string, provider: Section, asked: readonly string[], variables: Variables) {
  const custom = provider.section('custom_provider_config')
  const found = providerNamed(custom.text('base_provider_type') ?? name, '')
  if (!found) {
    const why = `no pool can call \`${name}\`: its requests are signed, or have their own format`
    return { deployments: [], left: [{ path: provider.path, why }] }
  }
  const network = provider.section('network_config')
  const room = provider.section('concurrency_and_buffer_size')
  const headers = network.section('extra_headers')
  const common: Common = {
    ...{ name, provider, found, variables },
    base: network.text('base_url'),
    path: pathOf(custom),
    headers: headersIn(headers),
    more: moreOf(network, room),
  }
  const said = provider.list('keys')
  // A provider on this machine needs no key.
  const keys = said.length > 0 ? said : [new Section(undefined, `${provider.path}.keys`)]
  const all = keys.map(key => keyOf(key, keys.length, common, asked))
  const left = [
    ...network.left(NETWORK),
    ...headers.left({}),
    ...custom.left(PROVIDER),
    ...room.left(PROVIDER),
    ...provider.left(PROVIDER),
  ]
  return {
    deployments: all.flatMap(({ deployments }) => deployments),
    left: [...left, ...all.flatMap(key => key.left)],
  }
}

interface Common {
  readonly name: string
  readonly provider: Section
  readonly found: Found
  readonly variables: Variables
  readonly base: string | undefined
  /** Follows the base URL; undefined where the file does not say. */
  readonly path: string | undefined
  readonly headers: readonly (readonly [string, string])[]
  readonly more: object
}

/** The path before `/chat/completions` where it is not the usual one. */
function pathOf(custom: Section): string | undefined {
  const path = custom.section('request_path_overrides').text('chat_completion')
  return path?.endsWith('/chat/completions') ? path.slice(0, -'/chat/completions'.length) : undefined
}

function moreOf(network: Section, room: Section): object {
  const timeout = network.number('default_request_timeout_in_seconds')
  const idle = network.number('stream_idle_timeout_in_seconds')
  const concurrent = room.number('concurrency')
  return {
    ...(timeout && { answer_timeout: secondsText(timeout) }),
    ...(idle && { idle_timeout: secondsText(idle) }),
    ...(concurrent && { max_concurrent: concurrent }),
  }
}

function keyOf(key: Section, keys: number, common: Common, asked: readonly string[]) {
  const { name, found, variables } = common
  const azure = key.section('azure_key_config')
  const own = ['vllm', 'ollama', 'sgl'].map(kind => key.section(`${kind}_key_config`))
  const [text, version] = [apart(key.text('value'), key.path), azure.text('api_version')]
  const url = azure.text('endpoint') ?? own.map(section => section.text('url')).find(Boolean) ?? common.base
  const provider = { ...found.provider, ...(url !== undefined && { path: common.path ?? usualPath(found, url) }) }
  const { models, why } = modelsOf(key, azure, name, asked)
  if (keys === 1 || key.number('weight') === undefined) key.take('weight')
  else key.refuse('weight', KEY.weight ?? '')
  key.take('name')
  key.take('id')
  if (key.take('enabled') === false) return { deployments: [], left: [{ path: key.path, why: 'it is not enabled' }] }
  if (why !== undefined) key.refuse('models', why)
  const deployments = models.map(({ called, model }): Deployment => {
    const notes: string[] = []
    const group = `${name}/${called}`
    const kind = kindOf(called)
    const backend = {
      ...{
        kind: kind ?? 'chat',
        base: url,
        apiVersion: version,
        key: text,
        headers: common.headers,
        more: common.more,
      },
      found: { ...found, provider, model },
    }
    const pool = kind && poolAt(backend, { name, reference, variables, notes })
    const missing = kind ? 'no address is known' : 'it is not a model for chats, embeddings or images: use passthrough'
    const left: readonly Left[] = pool ? [] : [{ path: `${key.path}.models.${called}`, why: missing }]
    const offer = offerOf({ ...found, model })
    return { name: group, pool, model: { ...NOTHING, kind: kind ?? 'chat' }, offer, order: 0, notes, left }
  })
  return { deployments, left: [...key.left(KEY), ...azure.left(KEY)] }
}

/** The path that Bifrost puts behind a base URL. */
function usualPath({ name, provider }: Found, url: string): string {
  if (name === 'azure') return ''
  const base = url.trim().replace(/\/+$/, '')
  return provider.base?.startsWith(base) ? provider.base.slice(base.length) : '/v1'
}

/** The models of a key, by the clients' names and the provider's. */
function modelsOf(key: Section, azure: Section, name: string, asked: readonly string[]) {
  const said = listOf(key.take('models'))
  const others = { ...asMap(azure.take('deployments')), ...asMap(key.take('aliases')) }
  const without = listOf(key.take('blacklisted_models'))
  const isOpen = said.includes('*') || (said.length === 0 && Object.keys(others).length === 0)
  const called = new Set([
    ...said.filter(model => model !== '*'),
    ...(said.length === 0 || isOpen ? Object.keys(others) : []),
    ...(isOpen ? asked.flatMap(each => askedOf(each, name)) : []),
  ])
  const models = [...called]
    .filter(each => !without.includes(each))
    .map(each => ({ called: each, model: String(others[each] ?? each) }))
  const why = `\`*\` is not a model name: list the names that clients use with --names, such as ${name}/…`
  return { models, why: models.length === 0 ? why : undefined }
}

/** The model of a provider that clients ask for by this name. */
function askedOf(text: string, provider: string): readonly string[] {
  if (text.startsWith(`${provider}/`)) return [text.slice(provider.length + 1)]
  return !text.includes('/') && providerOf(text, undefined)?.name === provider ? [text] : []
}

/** The name in `env.NAME`. */
const reference = (text: string): string | undefined => /^env\.([A-Za-z_]\w*)$/.exec(text.trim())?.[1]

const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])

/** Names for models; those with fields of their own have the name in one of them. */
const asMap = (value: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(isObject(value) ? value : {}).map(([name, to]) => [
      name,
      isObject(to) ? (to.model_id ?? to.model_name ?? name) : to,
    ]),
  )
