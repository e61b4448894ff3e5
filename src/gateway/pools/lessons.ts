import type { CapField, EpochMs, Millis, Pool } from '../../policy/config.ts'
import { isNative } from '../../policy/dialect.ts'
import type { ChatAsk, EmbeddingAsk, InferenceRequest } from '../../policy/facts.ts'
import { chatNameOf, DROPPABLE, DROPPABLE_OF_VECTORS } from '../../policy/providers/droppable.ts'

/** A lesson from a refusal: a pool's backends do not take a field of chats, or call the cap of an answer otherwise. */
export interface Lesson {
  readonly field: string
  /** The name in its place; absent where the field is left out. */
  readonly as?: CapField
}

/** How long a lesson holds. */
const LASTS: Millis = 86_400_000
/** Accounts whose lessons a pool remembers at once. */
const MOST_ACCOUNTS = 1000

interface Learned extends Lesson {
  readonly at: EpochMs
}

/**
 * The lessons of one pool, by the account whose request was refused: its own bodies may be the reason, so that no other
 * account's requests are changed by it. A reload forgets all of it.
 */
export class Lessons {
  readonly #byAccount = new Map<string, readonly Learned[]>()
  /** Accounts of which a stream without `stream_options` told no usage, with the time. */
  readonly #untold = new Map<string, EpochMs>()
  #pool: Pool | undefined

  /** Remembers what an account's request was refused for, and then served without. A lesson that still holds keeps its end. */
  learn(account: string, learned: readonly Lesson[], now: EpochMs): void {
    const known = this.#of(account, now)
    const added = learned.filter(({ field, as }) => !known.some(each => each.field === field && each.as === as))
    const kept = known.filter(({ field }) => !added.some(each => each.field === field))
    remember(this.#byAccount, account, [...kept, ...added.map(lesson => ({ ...lesson, at: now }))])
  }

  /** Remembers that a stream of an account told no usage, since it was not asked for it. */
  toldNoUsage(account: string, now: EpochMs): void {
    remember(this.#untold, account, now)
  }

  /** Whether a request of the account may be asked again without a field. */
  allows({ field }: Lesson, account: string, now: EpochMs): boolean {
    const at = this.#untold.get(account)
    return field !== STREAM_OPTIONS || at === undefined || now - at >= LASTS
  }

  /** The lessons of an account's requests to the pool, as the files declare the pool now. */
  of(pool: Pool, account: string, now: EpochMs): readonly Lesson[] {
    this.#follow(pool)
    // Nearly always there is nothing to look up.
    return this.#byAccount.size === 0 ? NONE : this.#of(account, now)
  }

  /** The lessons known now, each with its account and when it was learned. */
  known(
    now: EpochMs,
  ): readonly { readonly account: string; readonly lessons: readonly Lesson[]; readonly at: EpochMs }[] {
    return [...this.#byAccount.keys()].flatMap(account =>
      this.#of(account, now).map(({ at, ...lesson }) => ({ account, lessons: [lesson], at })),
    )
  }

  /** Each lesson of a pool as the files declare it now, once, with how many accounts it was learned from. */
  counted(pool: Pool, now: EpochMs): readonly (Lesson & { readonly accounts: number })[] {
    this.#follow(pool)
    const byField = new Map<string, Lesson & { readonly accounts: number }>()
    for (const lesson of this.known(now).flatMap(({ lessons }) => lessons))
      byField.set(lesson.field, { ...lesson, accounts: (byField.get(lesson.field)?.accounts ?? 0) + 1 })
    return [...byField.values()]
  }

  /** Forgets what was learned of the pool as older files declared it. */
  #follow(pool: Pool): void {
    if (this.#pool === pool) return
    if (this.#pool) {
      this.#byAccount.clear()
      this.#untold.clear()
    }
    this.#pool = pool
  }

  #of(account: string, now: EpochMs): readonly Learned[] {
    return this.#byAccount.get(account)?.filter(({ at }) => now - at < LASTS) ?? NONE
  }
}

const NONE: readonly Learned[] = []

/** Puts an account last; the first one leaves where there are too many. */
function remember<T>(all: Map<string, T>, account: string, value: T): void {
  all.delete(account)
  const [oldest] = all.keys()
  if (oldest !== undefined && all.size >= MOST_ACCOUNTS) all.delete(oldest)
  all.set(account, value)
}

/** Without it the usage of a stream is known only where the backend tells it unasked. */
export const STREAM_OPTIONS = 'stream_options'

/** The place in the order of an engine, which only the gateway sends: an engine without priority scheduling may refuse it. */
export const PRIORITY = 'priority'

/** A pool whose backends take what these lessons left of a chat. */
export function withLessons(pool: Pool, lessons: readonly Lesson[]): Pool {
  if (lessons.length === 0) return pool
  const { provider } = pool
  const left = lessons.flatMap(({ field, as }) => (as ? [] : [field]))
  const dropped = left.filter(field => field !== STREAM_OPTIONS && field !== PRIORITY)
  const [cap] = lessons.flatMap(({ as }) => as ?? []).slice(-1)
  const drops = [...provider.facts.drops, ...dropped]
  const facts = {
    ...provider.facts,
    drops,
    ...(left.includes(STREAM_OPTIONS) && { streamOptions: false }),
    ...(left.includes(PRIORITY) && { priority: 'none' as const }),
  }
  return { ...pool, ...(cap && { caps: [cap] }), provider: { ...provider, facts } }
}

const OTHER_CAP: Readonly<Record<CapField, CapField>> = {
  max_tokens: 'max_completion_tokens',
  max_completion_tokens: 'max_tokens',
}

/**
 * The lesson from the refusal of a field, where the request can be asked again by it. A cap gets its other name, unless that was
 * refused as well: no request goes without one. `before` is what this request taught already.
 */
export function lessonOf(
  pool: Pool,
  request: InferenceRequest,
  refused: string,
  before: readonly Lesson[],
): Lesson | undefined {
  if (request.kind === 'embedding') return vectorLessonOf(pool, request, refused)
  if (request.kind !== 'chat') return undefined
  if (refused === 'max_tokens' || refused === 'max_completion_tokens') {
    const isTold = isChatAt(pool, request) && pool.caps.includes(refused)
    const isRenamed = before.some(({ as }) => as === refused)
    return isTold && !isRenamed ? { field: refused, as: OTHER_CAP[refused] } : undefined
  }
  if (refused.split('.')[0] === STREAM_OPTIONS)
    return isChatAt(pool, request) && pool.provider.facts.streamOptions ? { field: STREAM_OPTIONS } : undefined
  if (refused === PRIORITY) return pool.provider.facts.priority === 'none' ? undefined : { field: PRIORITY }
  return droppedLesson(pool, request, chatNameOf(refused))
}

/** A field that the client sent, and that the answer does not depend on. */
function droppedLesson({ provider }: Pool, { optional }: ChatAsk, field: string): Lesson | undefined {
  if (!DROPPABLE.has(field) || provider.facts.drops.includes(field)) return undefined
  return optional?.some(each => chatNameOf(each) === field) ? { field } : undefined
}

/** A backend that knows vectors of numbers alone is asked for these, and they are converted for the client. */
function vectorLessonOf({ provider }: Pool, { base64 }: EmbeddingAsk, refused: string): Lesson | undefined {
  const isNew = DROPPABLE_OF_VECTORS.has(refused) && !provider.facts.drops.includes(refused)
  return base64 && isNew ? { field: refused } : undefined
}

/** Whether the backends of a pool get a request as a chat, or as what a chat is translated to. */
const isChatAt = (pool: Pool, request: ChatAsk): boolean => request.dialect === undefined || !isNative(pool, request)
