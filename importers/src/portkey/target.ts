import { type Deployment, kindOf, NOTHING, offerOf, poolAt, secondsText } from '../deployment.ts'
import { apart, type Variables } from '../names.ts'
import { type Found, providerNamed } from '../providers.ts'
import { Section } from '../section.ts'
import { CONFIG, OVERRIDES } from './reasons.ts'
import { CAPS, INHERITED, type Leaf } from './targets.ts'

/** The backend that a target is. */
export function deploymentOf({ nodes }: Leaf, { group, model: usual, variables }: Asked): Target {
  const sections = nodes.map(({ value, path }) => new Section(value, path)).reverse()
  const [own = new Section({}, '')] = sections
  const overrides = sections.map(section => section.section('override_params'))
  const { provider, slug, model, found } = askedOf(sections, overrides, usual)
  const kind = kindOf(model ?? '')
  const notes: string[] = []
  const name = slug ?? provider ?? group
  const backend = found && { ...backendOf(sections, found, slug), ...at(found, slug, variables, notes) }
  const around = { name, reference: () => undefined, variables, notes }
  const pool = backend && kind && poolAt({ ...backend, kind }, around)
  if (provider === undefined) own.refuse('provider', 'the file does not name its provider')
  else if (!pool) own.refuse('model', whyNot(model, found, kind, name))
  for (const field of [...INHERITED, 'strategy', 'name', 'targets']) own.take(field)
  const cap = firstOf(overrides, capOf)
  const left = [...own.left(CONFIG), ...overrides.slice(0, 1).flatMap(section => section.left(OVERRIDES))]
  return {
    ...{ name: group, pool: pool || undefined, order: 0, notes },
    offer: found && offerOf(found, model),
    model: { ...NOTHING, kind: kind ?? 'chat', maxOutput: cap?.tokens },
    cap: cap?.path,
    left: pool ? left : left.slice(0, 1),
  }
}

/** A target, and where it has the most tokens that it is to answer with. */
interface Target extends Deployment {
  readonly cap?: string | undefined
}

/** Targets of one model, whose answers have a cap where each of them has one. Elsewhere it would be that of the others too. */
export function withCommonCap(targets: readonly Target[]): readonly Deployment[] {
  if (targets.every(({ pool, model }) => !pool || model.maxOutput !== undefined)) return targets
  return targets.map(({ cap, ...target }) =>
    cap === undefined || !target.pool
      ? target
      : {
          ...target,
          model: { ...target.model, maxOutput: undefined },
          left: [...target.left, { path: cap, why: 'a model has one max_output, and other targets have none' }],
        },
  )
}

interface Asked {
  /** The model that clients ask for. */
  readonly group: string
  /** The model asked of a target that names none. */
  readonly model: string | undefined
  readonly variables: Variables
}

const firstOf = <T>(sections: readonly Section[], read: (section: Section) => T | undefined): T | undefined =>
  sections.map(read).find(each => each !== undefined)

/** The most tokens of an answer that a section says, by either name of the field. */
function capOf(section: Section) {
  for (const field of CAPS) {
    const tokens = section.number(field)
    if (tokens !== undefined) return { tokens, path: section.pathOf(field) }
  }
  return undefined
}

/** Which model of which provider a target asks. `slug` is the name of a key that Portkey has. */
function askedOf(sections: readonly Section[], overrides: readonly Section[], usual: string | undefined) {
  const named = firstOf(overrides, section => section.text('model'))
  const said = firstOf(sections, section => section.text('provider') ?? slugOf(section.text('virtual_key')))
  const both = catalogued(named) ?? catalogued(said)
  const slug = both?.slug ?? (said?.startsWith('@') ? said.slice(1) : undefined)
  const deployment = firstOf(sections, section => section.text('azure_deployment_id') ?? section.text('deployment_id'))
  const azure = firstOf(sections, section => section.text('azure_model_name'))
  const model = both?.model ?? named ?? azure ?? usual ?? deployment
  const provider = slug ?? said
  if (model === undefined || provider === undefined) return { provider, slug, model, found: undefined }
  const own = deployment ?? model
  return { provider, slug, model, found: slug === undefined ? providerNamed(provider, own) : behind(slug, own) }
}

/** How to reach a target. A key that the file only references in Portkey becomes a variable. */
function backendOf(sections: readonly Section[], { provider }: Found, slug: string | undefined) {
  const [own = new Section({}, '')] = sections
  const resource = own.text('azure_resource_name') ?? own.text('resource_name')
  const timeout = firstOf(sections, section => section.number('request_timeout'))
  const unknown = slug !== undefined && provider.base === undefined ? `that of ${slug}` : undefined
  const azure = resource === undefined ? undefined : `https://${resource}.openai.azure.com`
  return {
    base: firstOf(sections, section => section.text('custom_host')) ?? azure ?? unknown,
    apiVersion: own.text('azure_api_version') ?? own.text('api_version'),
    key: firstOf(sections, section => apart(section.text('api_key'), section.pathOf('api_key'))),
    headers: headersOf(own),
    more: timeout ? { answer_timeout: secondsText(timeout / 1000) } : {},
  }
}

function whyNot(model: string | undefined, found: Found | undefined, kind: string | undefined, label: string): string {
  if (model === undefined) return 'clients choose: list the models that they use with --names'
  if (!found) return `no pool can call \`${label}\`, or the file does not name the key's provider`
  return kind ? 'no address is known' : 'it is not a model for chats, embeddings or images: use passthrough'
}

const slugOf = (virtualKey: string | undefined) =>
  virtualKey === undefined ? undefined : `@${virtualKey.replace(/^@/, '')}`

/** `@slug/model`, as the model catalog has it. */
function catalogued(text: string | undefined): { readonly slug: string; readonly model: string } | undefined {
  const [, slug, model] = /^@([^/]+)\/(.+)$/.exec(text ?? '') ?? []
  return slug === undefined || model === undefined ? undefined : { slug, model }
}

/** The provider that a key is for, by the words that its name begins with. */
function behind(slug: string, model: string): Found | undefined {
  const words = slug.split(/[-_]/)
  return words.map((_, at) => providerNamed(words.slice(0, words.length - at).join('-'), model)).find(Boolean)
}

/** A provider as Portkey has it: a host stands for all of the address, and a key may be in Portkey alone. */
function at(found: Found, slug: string | undefined, variables: Variables, notes: string[]) {
  const { path, variable: usual, ...provider } = found.provider
  const variable = slug === undefined ? undefined : variables.next(slug, slug, 'api_key')
  if (slug !== undefined)
    notes.push(
      `The key of ${slug} is in Portkey: export it as ${variable}; its provider, ${found.name}, is read from its name.`,
    )
  const own = { ...(found.name === 'ollama' && path && { path }), ...(usual !== undefined && { variable: usual }) }
  return { variable, found: { ...found, provider: { ...provider, ...own } } }
}

const headersOf = (section: Section) =>
  [
    ['OpenAI-Organization', section.text('openai_organization')] as const,
    ['OpenAI-Project', section.text('openai_project')] as const,
  ].flatMap(([header, text]) => (text === undefined ? [] : [[header, text] as const]))
