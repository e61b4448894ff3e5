import type { Config, DeclaredFields, Model } from '../policy/config.ts'
import { type Denied, invalid } from '../policy/denial.ts'
import { type ClientDialectName, DIALECT_MEMBERS } from '../policy/dialect-members.ts'
import type { Caller, ChatAsk, NativeSize } from '../policy/facts.ts'
import { aliasOf } from '../policy/model.ts'
import { planOf } from '../policy/plan.ts'
import { lossesInAll } from './chat-losses.ts'
import type { ChatOfDialect, ReadTerms } from './client-dialect.ts'
import { CLIENT_DIALECTS } from './client-dialects.ts'
import { spliced } from './fast/splice.ts'
import { Findings } from './findings.ts'
import type { JsonObject } from './json-safety.ts'
import { type ReadMembers, readMembers, withoutUnknown } from './native/members.ts'
import { cuttableIn, providerToolsIn, withoutTools } from './native/provider-tools.ts'
import { nativeSizeOf } from './native/size.ts'
import { type DialectBody, outlineOf } from './openai/body.ts'
import { checkChat } from './openai/chat.ts'
import { withoutFields } from './openai/fields.ts'
import type { OwnDialect, Spoken, WireRequest } from './openai/request.ts'
import { sessionNamesIn } from './session-of.ts'
import type { ToolNames } from './tools/listed.ts'

/** The terms for reading a request in another dialect. */
export interface ClientRequestTerms extends Omit<ReadTerms, 'texts' | 'passes'> {
  /** The dialects that some pool speaks. */
  readonly spoken: ReadonlySet<string>
  /** Members beyond those of its dialect that some pool passes on. */
  readonly passed: ReadonlySet<string>
  readonly names: ToolNames
  readonly declared: DeclaredFields
}

/** The terms of a caller's requests in a configuration. */
export function clientTerms(config: Config, brand: string, caller: Caller): ClientRequestTerms {
  const plan = planOf(config, caller)
  return {
    names: { brand, declared: config.tools },
    declared: config.declared.chat,
    thinks: asked => {
      const model = modelNamed(config, asked)
      return model?.kind === 'chat' && model.thinking !== undefined
    },
    isHosted: tool => config.tools.has(tool) && plan?.tools.has(tool) === true,
    ...passingOf(config),
  }
}

/** The native members that pools take. Computed once, since a configuration serves many requests. */
function passingOf(config: Config): Pick<ClientRequestTerms, 'spoken' | 'passed'> {
  if (passing?.config === config) return passing
  const spoken = new Set<string>()
  const passed = new Set<string>()
  for (const { speaks, passes } of config.pools.values()) {
    for (const speech of speaks) spoken.add(speech)
    for (const name of passes) passed.add(name)
  }
  passing = { config, spoken, passed }
  return passing
}

let passing: (Pick<ClientRequestTerms, 'spoken' | 'passed'> & { readonly config: Config }) | undefined

/** The model that a name, or none, stands for before routes. */
function modelNamed(config: Config, asked: string | undefined): Model | undefined {
  const { models, defaultModel } = config
  const model = asked === undefined ? defaultModel : models.get(asked)
  return model && !('model' in model) ? model : aliasOf(config, asked)?.model
}

/** Reads a body of POST /v1/responses or /v1/messages: as a chat, and as what backends of the same dialect are sent. */
export function readClientRequest(
  name: ClientDialectName,
  parsed: DialectBody,
  terms: ClientRequestTerms,
): WireRequest | Denied {
  const { client, fields } = CLIENT_DIALECTS[name]
  const { body, texts } = parsed
  const passes = terms.spoken.has(name)
  const read = client.read(body, { ...terms, texts, passes })
  if ('denial' in read) return read
  const declared = declaredIn(name, parsed, terms.declared)
  const own = passes ? readNative(name, parsed, { ...terms, accepted: Object.keys(declared) }) : undefined
  if (own && 'denial' in own) return own
  const checked = checkChat(outlineOf({ ...read.chat, ...declared }, texts), terms.names, terms.declared)
  if ('denial' in checked) return renamed(checked, fields)
  const asked = checked.request as ChatAsk
  const elsewhere = runElsewhere(body, read, asked)
  if ('denial' in elsewhere) return elsewhere
  const request = { ...dialectAsk(name, read, asked, elsewhere), ...(own && nativeAsk(own, asked)) }
  const spoken: Spoken = { own: ownDialect(name, parsed, own), writer: each => read.writer(each) }
  return {
    request,
    spoken,
    ...sessionIn(parsed),
    ...(checked.stream && { stream: { ...checked.stream, thoughtsApart: true } }),
    ...(checked.isProse && !saysMore(read, elsewhere, own) && { isProse: true }),
    ...asChat(checked),
  }
}

const sessionIn = ({ body }: DialectBody): Pick<WireRequest, 'session'> => {
  const session = sessionNamesIn(body)
  return session ? { session } : {}
}

/** The fields of a body that its dialect does not have, and some model declares: a chat carries them by the same name. */
export function declaredIn(
  name: ClientDialectName,
  { body, texts }: DialectBody,
  declared: DeclaredFields,
): JsonObject {
  const { top } = DIALECT_MEMBERS[name]
  const fields: Record<string, unknown> = {}
  for (const field of declared.keys()) {
    if (top.has(field) || !Object.hasOwn(body, field) || body[field] === null) continue
    fields[field] = texts.whole(body[field])
  }
  return fields
}

/** The tools of a request that a provider would run, and those of them that it can do without. */
interface RunElsewhere {
  readonly providerTools: readonly string[]
  readonly cuttable: readonly string[]
}

function runElsewhere(
  body: JsonObject,
  { ignoredTools, onlyNative }: Pick<ChatOfDialect, 'ignoredTools' | 'onlyNative'>,
  { hosted }: ChatAsk,
): RunElsewhere | Denied {
  const providerTools = providerToolsIn(body).filter(tool => !hosted?.includes(tool))
  const tooMany = tooManyKinds(ignoredTools) ?? tooManyKinds(providerTools)
  if (tooMany) return tooMany
  return { providerTools, cuttable: onlyNative || ignoredTools.length === 0 ? [] : cuttableIn(body, ignoredTools) }
}

/** Why tools that would run at a provider are refused; undefined where there are few of them. */
export const tooManyKinds = (tools: readonly string[]): Denied | undefined =>
  tools.length > TOOL_KINDS_MAX ? TOO_MANY_KINDS : undefined

/** Kinds of tools that would run at a provider. A request names a few; a header and the decision log repeat them. */
const TOOL_KINDS_MAX = 32
const TOO_MANY_KINDS = invalid(
  'tools',
  `must have at most ${TOOL_KINDS_MAX} kinds of tools that a provider would run`,
  'invalid_value',
)

/** Takes from a request read as a chat its hosted tools, its way to a backend, and its reader of whole answers. */
export const asChat = (
  chat: WireRequest,
): Pick<WireRequest, 'hosted' | 'routedText' | 'sketch' | 'bodyFor' | 'readAnswer' | 'readInSteps'> => ({
  ...(chat.hosted && { hosted: chat.hosted }),
  ...(chat.sketch && { sketch: chat.sketch.bind(chat) }),
  routedText: () => chat.routedText?.() ?? '',
  bodyFor: (model, output, terms) => chat.bodyFor(model, output, terms),
  readAnswer: (bytes, terms) => chat.readAnswer(bytes, terms),
  ...(chat.readInSteps && { readInSteps: chat.readInSteps }),
})

/** Policy's view of a chat that came in another dialect. */
function dialectAsk(
  name: ClientDialectName,
  { ignoredTools, ignoredFields, onlyNative, user }: ChatOfDialect,
  { lostFields: lostOfChat, optional, developer: _none, ...rest }: ChatAsk,
  { providerTools, cuttable }: RunElsewhere,
): ChatAsk {
  const { fields } = CLIENT_DIALECTS[name]
  const lostFields = lossesInAll(ignoredFields, lostOfChat, fields)
  return {
    ...rest,
    ...(optional && { optional: [...new Set(optional.map(field => fields[field] ?? field))] }),
    ...(user !== undefined && { user }),
    dialect: name,
    ...(ignoredTools.length > 0 && { losses: ignoredTools }),
    ...(lostFields && { lostFields }),
    ...(providerTools.length > 0 && { providerTools }),
    ...(cuttable.length > 0 && { cuttable }),
    ...(onlyNative && { onlyNative }),
  }
}

/** A request as backends of its dialect are sent it. */
interface NativeRequest {
  /** Members that replace the client's. */
  readonly replaced: JsonObject
  readonly size: NativeSize
  readonly members: ReadMembers
}

function readNative(
  name: ClientDialectName,
  { body, texts }: DialectBody,
  { passed, accepted }: Pick<ClientRequestTerms, 'passed'> & { readonly accepted: readonly string[] },
): NativeRequest | Denied {
  const known = DIALECT_MEMBERS[name]
  const found = new Findings()
  const members = readMembers(
    body,
    known,
    { texts, passed: accepted.length > 0 ? new Set([...passed, ...accepted]) : passed },
    found,
  )
  if (found.denied) return found.denied
  const replaced = CLIENT_DIALECTS[name].native.replaced(body)
  const size = nativeSizeOf({ ...body, ...replaced }, known, texts)
  return { replaced, size, members }
}

function nativeAsk({ size, members }: NativeRequest, asked: ChatAsk): Partial<ChatAsk> {
  const { unknown, address, cacheTime } = members
  return {
    ...(isMore(size, asked) && { native: size }),
    ...(cacheTime && { cacheTime }),
    ...(unknown.length > 0 && { unknown }),
    ...(address !== undefined && { address }),
  }
}

function ownDialect(name: ClientDialectName, parsed: DialectBody, own: NativeRequest | undefined): OwnDialect {
  const { native } = CLIENT_DIALECTS[name]
  const { body } = parsed
  return {
    dialect: name,
    native,
    nativeBody: (model, output, { cut = [], passes = [], drops = [], streams, cacheSalt, priority } = {}) => {
      const tools = cut.length > 0 && withoutTools(body, cut)
      const stream = streams && { stream: true }
      const engine = {
        ...(cacheSalt !== undefined && { cache_salt: cacheSalt }),
        ...(priority !== undefined && { priority }),
      }
      const members = { model, [native.capField]: output, ...own?.replaced, ...tools, ...stream, ...engine }
      const dropped = drops.filter(field => !Object.hasOwn(members, field) && Object.hasOwn(body, field))
      if (!own?.members.hasUnknown) return nativeBody(parsed, members, dropped)
      const known = { ...withoutUnknown({ ...body, ...members }, DIALECT_MEMBERS[name], passes), ...engine }
      const changed = Object.entries(known).filter(([field, value]) => value !== body[field])
      return nativeBody(
        parsed,
        Object.fromEntries(changed),
        Object.keys(body).filter(field => !Object.hasOwn(known, field) || dropped.includes(field)),
      )
    },
  }
}

/** Whether a backend of the dialect may be told of tools, or of a form of the answer, that the chat does not have. */
const saysMore = (
  { ignoredTools }: Pick<ChatOfDialect, 'ignoredTools'>,
  { providerTools }: RunElsewhere,
  own: NativeRequest | undefined,
): boolean => ignoredTools.length + providerTools.length + (own?.members.unknown.length ?? 0) > 0

const isMore = ({ bytes, images, isUnbounded }: NativeSize, chat: ChatAsk): boolean =>
  isUnbounded === true || bytes > chat.textBytes || images > chat.images

/** The client's bytes, except for these members, and without some. */
function nativeBody(
  { body, texts, written }: DialectBody,
  members: JsonObject,
  unsent: readonly string[] = [],
): Buffer {
  if (!written) return texts.json({ ...withoutFields(body, unsent), ...members })
  const changes = Object.entries(members).map(([name, value]) => ({ name, json: texts.json(value).toString() }))
  return spliced(written, changes, unsent)
}

/** A problem of the chat, with the name that its field has in the dialect. */
function renamed({ denial }: Denied, fields: Readonly<Record<string, string>>): Denied {
  if (denial.code !== 'VALIDATION_ERROR') return { denial }
  const [, top = '', rest = ''] = /^([a-z_]+)(.*)$/s.exec(denial.field) ?? []
  const field = Object.hasOwn(fields, top) ? `${fields[top]}${rest}` : denial.field
  return { denial: { ...denial, field } }
}
