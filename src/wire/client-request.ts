import type { Config, DeclaredFields, Model } from '../policy/config.ts'
import { type Denied, invalid } from '../policy/denial.ts'
import type { Caller, ChatAsk, NativeSize } from '../policy/facts.ts'
import { aliasOf } from '../policy/model.ts'
import { planOf } from '../policy/plan.ts'
import { lossesInAll } from './chat-losses.ts'
import type { ChatOfDialect, ClientDialectName, ReadTerms } from './client-dialect.ts'
import { CLIENT_DIALECTS } from './client-dialects.ts'
import { spliced } from './fast/splice.ts'
import type { JsonObject } from './json-safety.ts'
import { nativeSizeOf } from './native/native-size.ts'
import { cuttableIn, providerToolsIn, withoutTools } from './native/provider-tools.ts'
import { type DialectBody, outlineOf } from './openai/body.ts'
import { checkChat } from './openai/chat.ts'
import type { OwnDialect, Spoken, WireRequest } from './openai/request.ts'
import type { ToolNames } from './tools/listed.ts'

/** What a request in another dialect is read by. */
export interface ClientRequestTerms extends Omit<ReadTerms, 'texts' | 'passes'> {
  /** The dialects that some pool speaks. */
  readonly spoken: ReadonlySet<string>
  readonly names: ToolNames
  readonly declared: DeclaredFields
}

/** What a configuration says of the requests of a caller. */
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
    spoken: spokenIn(config),
  }
}

function spokenIn({ pools }: Config): ReadonlySet<string> {
  const spoken = new Set<string>()
  for (const { speaks } of pools.values()) for (const speech of speaks) spoken.add(speech)
  return spoken
}

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
  const { client, native, fields } = CLIENT_DIALECTS[name]
  const { body, texts } = parsed
  const passes = terms.spoken.has(name)
  const read = client.read(body, { ...terms, texts, passes })
  if ('denial' in read) return read
  const { chat, ignoredTools, ignoredFields, onlyNative, user, writer } = read
  const checked = checkChat(outlineOf(chat, texts), terms.names, terms.declared)
  if ('denial' in checked) return renamed(checked, fields)
  const asked = checked.request as ChatAsk
  const elsewhere = runElsewhere(body, read, asked)
  if ('denial' in elsewhere) return elsewhere
  const { providerTools, cuttable } = elsewhere
  const replaced = passes ? native.replaced(body) : {}
  const size = passes ? nativeSizeOf({ ...body, ...replaced }, texts) : undefined
  const { lostFields: lostOfChat, ...rest } = asked
  const lostFields = lossesInAll(ignoredFields, lostOfChat, fields)
  const request: ChatAsk = {
    ...rest,
    ...(user !== undefined && { user }),
    dialect: name,
    ...(ignoredTools.length > 0 && { losses: ignoredTools }),
    ...(lostFields && { lostFields }),
    ...(providerTools.length > 0 && { providerTools }),
    ...(cuttable.length > 0 && { cuttable }),
    ...(size && isMore(size, asked) && { native: size }),
    ...(onlyNative && { onlyNative }),
  }
  const own: OwnDialect = {
    dialect: name,
    native,
    nativeBody: (model, output, cut = []) => {
      const tools = cut.length > 0 && withoutTools(body, cut)
      return nativeBody(parsed, { model, [native.capField]: output, ...replaced, ...tools })
    },
  }
  const spoken: Spoken = { own, writer: each => writer.call(read, each) }
  return {
    request,
    spoken,
    ...(checked.stream && { stream: { ...checked.stream, thoughtsApart: true } }),
    ...(checked.hosted && { hosted: checked.hosted }),
    routedText: () => checked.routedText?.() ?? '',
    bodyFor: (model, output, bodyTerms) => checked.bodyFor(model, output, bodyTerms),
    ...answersOf(checked),
  }
}

/** The tools of a request that a provider would run, and those of them that it can do without. */
function runElsewhere(
  body: JsonObject,
  { ignoredTools, onlyNative }: Pick<ChatOfDialect, 'ignoredTools' | 'onlyNative'>,
  { hosted }: ChatAsk,
): { readonly providerTools: readonly string[]; readonly cuttable: readonly string[] } | Denied {
  const providerTools = providerToolsIn(body).filter(tool => !hosted?.includes(tool))
  if (Math.max(ignoredTools.length, providerTools.length) > TOOL_KINDS_MAX) return TOO_MANY_KINDS
  return { providerTools, cuttable: onlyNative || ignoredTools.length === 0 ? [] : cuttableIn(body, ignoredTools) }
}

/** Kinds of tools that would run at a provider. A request names a few; a header and the decision log repeat them. */
const TOOL_KINDS_MAX = 32
const TOO_MANY_KINDS = invalid(
  'tools',
  `must have at most ${TOOL_KINDS_MAX} kinds of tools that a provider would run`,
  'invalid_value',
)

/** How whole answers are read: as those of the chat. */
const answersOf = (chat: WireRequest): Pick<WireRequest, 'readAnswer' | 'readInSteps'> => ({
  readAnswer: (bytes, terms) => chat.readAnswer(bytes, terms),
  ...(chat.readInSteps && { readInSteps: chat.readInSteps }),
})

const isMore = ({ bytes, images, isUnbounded }: NativeSize, chat: ChatAsk): boolean =>
  isUnbounded === true || bytes > chat.textBytes || images > chat.images

/** The bytes of the client, but for these members. */
function nativeBody({ body, texts, written }: DialectBody, members: JsonObject): Buffer {
  if (!written) return texts.json({ ...body, ...members })
  return spliced(
    written,
    Object.entries(members).map(([name, value]) => ({ name, json: texts.json(value).toString() })),
  )
}

/** A problem of the chat, with the name that its field has in the dialect. */
function renamed({ denial }: Denied, fields: Readonly<Record<string, string>>): Denied {
  if (denial.code !== 'VALIDATION_ERROR') return { denial }
  const [, top = '', rest = ''] = /^([a-z_]+)(.*)$/s.exec(denial.field) ?? []
  const field = Object.hasOwn(fields, top) ? `${fields[top]}${rest}` : denial.field
  return { denial: { ...denial, field } }
}
