import type { Denied } from '../policy/denial.ts'
import type { OnlyNative } from '../policy/facts.ts'
import type { TokenForm } from './fast/likelihoods.ts'
import type { MarkedTexts } from './fast/marked-texts.ts'
import type { JsonObject } from './json-safety.ts'
import type { Usage } from './usage/usage.ts'

/**
 * The dialect of clients that do not use chat completions. Their requests become chats, and answers are rewritten in their form on the way out: limits, routes, failover, hosted tools and bills only see chats. src/wire/dialect.ts is the counterpart for backends.
 *
 * @example
 * // Clients that send `{ question }`. A full dialect also reads its limits, tools and streams.
 * const dialect = (writer: ChatOfDialect['writer']): ClientDialect => {
 *   const chat = ({ question }: JsonObject) => ({ messages: [{ role: 'user', content: question }] })
 *   return {
 *     read: body => ({ chat: chat(body), ignoredTools: [], ignoredFields: [], writer }),
 *     countable: body => ({ chat: chat(body) }),
 *     ping: undefined,
 *     askedModel: undefined,
 *   }
 * }
 */
export interface ClientDialect {
  /** The chat that a body asks for. */
  read(body: JsonObject, terms: ReadTerms): ChatOfDialect | Denied
  /** Reads a body to count its tokens. Unlike a request it needs no cap for the answer. */
  countable(body: JsonObject, terms: ReadTerms): Pick<ChatOfDialect, 'chat'> | Denied
  /** The event that keeps a quiet stream open for its clients; undefined where a comment does that. */
  readonly ping: string | undefined
  /** Renames the model in answers for clients that compare it with the name they sent; undefined where no client does. */
  readonly askedModel: AskedModel | undefined
}

/** Puts the name that a client sent in place of the backend's, in answers that pass through untranslated. */
export interface AskedModel {
  /** Whether this client compares names, judged by its `user-agent`. */
  isWanted(userAgent: string | undefined): boolean
  /** A whole answer with this name. */
  answer(bytes: Buffer, model: string): Buffer
  /** Events of a stream, the first of which gets this name. */
  events(events: string, model: string): string
}

/** The terms for reading a request: its long texts, for which marks may stand, and the configuration's part. */
export interface ReadTerms {
  /** Code that looks into a text, or writes it as a part of another one, needs it whole. Marks may be joined with texts. */
  readonly texts: Pick<MarkedTexts, 'read' | 'startsWith' | 'json'>
  /** Whether any pool takes requests in this dialect as they come. */
  readonly passes: boolean
  /** Whether the model of this name, or of an alias, has `thinking` that a request may switch. Absent: the default model. */
  thinks(model: string | undefined): boolean
  /** Whether a hosted tool of this name is declared, and in the plan of the caller. */
  isHosted(tool: string): boolean
}

/** A request of another dialect as a chat. */
export interface ChatOfDialect {
  /** A body of POST /v1/chat/completions, which checks it like any other. Streams ask for their usage. */
  readonly chat: JsonObject
  /** Types of tools that would run elsewhere, and are left out of the chat: the header x-svc-ignored-tools names them. */
  readonly ignoredTools: readonly string[]
  /** Fields that a chat cannot say, and that are left out of it: the header x-svc-ignored-fields names them. */
  readonly ignoredFields: readonly string[]
  /** The field that no chat can say, so that only backends of the same dialect can be asked. The chat leaves it out. */
  readonly onlyNative?: OnlyNative
  /** A digest of the end user, where the chat does not name them. */
  readonly user?: string
  /** Makes the writer of one answer. */
  writer(terms: WriterTerms): AnswerWriter
}

/** The terms for writing an answer. */
export interface WriterTerms {
  readonly requestId: string
  /** Seconds since the epoch. */
  readonly created: number
  /** The name of the model that answers, as chat answers have it. */
  readonly model: string
  /** Tokens of the prompt, as they were estimated before it was sent. */
  readonly inputTokens: number
  /** Makes what is random in an identifier: letters and digits, different each time. */
  readonly newId: () => string
}

/** Writes chat answers in the form of a dialect: one whole answer, or one stream. */
export interface AnswerWriter {
  /** A whole chat completion as a whole answer, with the usage that is charged. */
  whole(completion: JsonObject, charged: Usage): JsonObject
  /** How it writes a token of the likelihoods in a whole answer, where that is not as a chat has it. */
  readonly tokenForm?: TokenForm
  /** The events that one chunk of a chat stream brings; empty where there is none yet. */
  chunk(chunk: JsonObject): string
  /** The last events of a stream that came whole, with the usage that is charged. */
  end(charged: Usage): string
  /** The last events of a stream that failed, whether anything was written before or not. */
  fail(error: StreamError): string
}

/** Why a stream ends before its answer does. */
export interface StreamError {
  readonly message: string
  /** OpenAI's type, such as `server_error`. */
  readonly type: string
  /** A code of this gateway's, or OpenAI's. */
  readonly code: string
}
