import type { PromptSketch } from '../../policy/balance/prompt-sketch.ts'
import type { Accepts, CapField } from '../../policy/config.ts'
import type { ClientDialectName } from '../../policy/dialect-members.ts'
import type { ChatAsk, EmbeddingAsk, ImageAsk } from '../../policy/facts.ts'
import type { PoolFacts } from '../../policy/providers/profile.ts'
import type { WholeAnswer } from '../answer-reader.ts'
import type { ChatOfDialect } from '../client-dialect.ts'
import type { JsonObject } from '../json-safety.ts'
import type { NativeDialect } from '../native/dialect.ts'
import type { SessionNames } from '../session-of.ts'
import type { Steps } from '../steps.ts'
import type { Deltas } from '../tools/delta-reader.ts'
import type { AnswerTerms } from './answer.ts'
import type { HostedChat } from './hosted-chat.ts'

/** A valid request of any kind: what policy needs to know of it, and its way to a backend and back. */
export interface WireRequest {
  readonly request: ChatAsk | EmbeddingAsk | ImageAsk
  /** The text that routes look at; absent where there is nothing to route. */
  readonly routedText?: () => string
  /** The beginnings of its prompt, with the messages that came later; absent where no cache of prefixes has any. */
  readonly sketch?: (later?: readonly JsonObject[]) => PromptSketch
  /** The names of its conversation in its body; absent where there is none. */
  readonly session?: SessionNames
  /** Set for a request that is answered as a stream. */
  readonly stream?: StreamWanted
  /** The body for a backend that knows the model by this name, with the granted output cap, in the public form. */
  bodyFor(backendModel: string, output: number, terms?: BodyTerms): Buffer
  /** Set for a request whose answers are written in another form than chats of backends. */
  readonly spoken?: Spoken
  /** Set for a response that goes on from a kept one, or is kept. */
  readonly thread?: Thread
  /** Set where the client wants its response kept, and none are. */
  readonly ignoresStore?: boolean
  /** Set for a chat that is answered in prose: its answer may go on without an event that cannot be read. */
  readonly isProse?: true
  /** Set for a request that lists hosted tools. */
  readonly hosted?: HostedChat
  /** Reads a whole answer, in the public form; undefined when it is not one. */
  readAnswer(bytes: Buffer, terms: AnswerTerms): WholeAnswer | undefined
  /** Reads a large answer in steps, where its form can be read in parts. */
  readonly readInSteps?: (bytes: Buffer, terms: AnswerTerms) => Steps<WholeAnswer | undefined>
}

/** The response that this one continues, and the items that are kept with it. */
export interface Thread {
  /** The id of the response before it. */
  readonly previous: string | null
  /** Absent where the client wants nothing kept. */
  readonly said?: {
    /** The items before the answer, as the JSON of a list: bytes, since they are kept as long as it lasts. */
    readonly input: Buffer
    /** The ids of those that came from earlier answers, oldest first. */
    readonly items: readonly string[]
  }
  /** Bytes that it uses of the memory for bodies, besides the body itself. */
  readonly bytes: number
}

/** How answers are written for a client that does not read chats as backends write them. */
export interface Spoken extends Pick<ChatOfDialect, 'writer'> {
  /** Set where the request is no chat. */
  readonly own?: OwnDialect
}

/** A request in the dialect in which its client sent it. */
export interface OwnDialect {
  readonly dialect: ClientDialectName
  readonly native: NativeDialect
  /**
   * The body for a backend of the same dialect that knows the model by this name, with the granted output cap, and without
   * what its pool does not get.
   */
  nativeBody(backendModel: string, output: number, terms?: NativeTerms): Buffer
}

/** The parts of a request that a pool of its dialect gets, and those that it does not. */
export interface NativeTerms extends Pick<BodyTerms, 'streams' | 'cacheSalt' | 'priority'> {
  /** Tools of its provider that it does not allow. */
  readonly cut?: readonly string[]
  /** Members that it passes on, though its dialect does not have them. */
  readonly passes?: readonly string[]
  /** Members at the top that its provider does not take. */
  readonly drops?: readonly string[]
}

/** The decision's values that a body depends on. */
export interface BodyTerms {
  /** The size of images, `1024x1024`. */
  readonly imageSize?: string
  /** The length of vectors, for a model that makes them of any length. */
  readonly dimensions?: number
  /** The fields that the model declares: no other ones go beside the known. */
  readonly accepts?: Accepts | undefined
  /** Set where the pool takes marks for a cache in messages, parts and tools. */
  readonly marks?: boolean | undefined
  /** The fields that say the cap of a chat; without them the client's own. */
  readonly caps?: readonly CapField[]
  /** The facts of the pool's provider: which fields of a chat it takes. */
  readonly facts?: PoolFacts
  /** Set where the answer of a chat is fetched as a stream, whatever the client asked for. */
  readonly streams?: true
  /** Keeps the cached prompt of one group from others at the backend. */
  readonly cacheSalt?: string | undefined
  /** Places a chat in the order of the engine. */
  readonly priority?: number | undefined
}

/** The members of a body that only the gateway says. */
export type EngineTerms = Pick<BodyTerms, 'cacheSalt' | 'priority'>

export interface StreamWanted {
  /** Whether the client asked for the usage chunk. */
  readonly usageWanted: boolean
  /** Completions asked for: a stream has finished when all of them have. */
  readonly choices: number
  /** Whether each signed thought is to come with its end: other dialects tell it there. */
  readonly thoughtsApart?: true
  /** True if the answer may continue without an unreadable event. */
  readonly maySkip?: true
  /** Whether a whole answer of a backend that does not stream will do. */
  readonly takesWhole?: true
  /** Reads the deltas where the client sees only a part of them. */
  readonly deltas?: Deltas
}
