import type { CacheTime } from '../policy/price.ts'
import { asObject, isObject, type JsonObject } from './json-safety.ts'

/**
 * The cache mark of a message, part or tool, which asks the backend to keep the prompt up to it; undefined without one.
 */
export function markIn({ cache_control: mark }: JsonObject): JsonObject | undefined {
  if (!isObject(mark) || mark.type !== 'ephemeral') return undefined
  const { type, ttl } = mark
  return ttl === '5m' || ttl === '1h' ? { type, ttl } : { type }
}

/** The longest time for which the marks of a chat ask the backend to keep the prompt; undefined without marks. */
export function cacheTimeOfChat({ messages, tools }: JsonObject): CacheTime | undefined {
  let time: CacheTime | undefined
  for (const holder of [...markable(messages, 'content'), ...markable(tools, 'function')]) {
    const mark = markIn(holder)
    if (mark?.ttl === '1h') return '1h'
    if (mark) time = '5m'
  }
  return time
}

/** The objects of a list, and those in a member of each. */
const markable = (list: unknown, member: string): readonly JsonObject[] =>
  (Array.isArray(list) ? list : []).flatMap(each => [each, ...[asObject(each)[member]].flat()]).filter(isObject)

/** A block with the mark of whatever it was made from. */
export function marked(block: JsonObject, ...made: readonly JsonObject[]): JsonObject {
  const mark = made.map(markIn).find(each => each !== undefined)
  return mark ? { ...block, cache_control: mark } : block
}

/** Blocks, the last of which carries the mark of their message; thoughts cannot carry one. */
export function markedLast(blocks: readonly JsonObject[], message: JsonObject): JsonObject[] {
  const at = markIn(message) ? blocks.findLastIndex(({ type }) => !UNMARKED.has(type)) : -1
  return blocks.map((block, index) => (index === at ? marked(block, block, message) : block))
}

const UNMARKED: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])

/** The parts of a request that may be marked, in cache order. */
interface Marked {
  readonly tools?: readonly JsonObject[]
  readonly system: string | readonly JsonObject[]
  readonly messages: readonly { readonly content: string | readonly JsonObject[] }[]
}

/** Keeps only the last `most` marks: each covers everything before it, and backends refuse a request with more. */
export function withFewMarks<M extends Marked>(request: M, most: number): M {
  const { tools = [], system, messages } = request
  const all = [...tools, ...blocksIn(system), ...messages.flatMap(({ content }) => blocksIn(content))]
  const dropped = new Set(all.filter(isMarked).slice(0, -most))
  if (dropped.size === 0) return request
  const kept = (blocks: readonly JsonObject[]) => blocks.map(block => (dropped.has(block) ? unmarked(block) : block))
  return {
    ...request,
    ...(request.tools && { tools: kept(request.tools) }),
    system: typeof system === 'string' ? system : kept(system),
    messages: messages.map(turn =>
      typeof turn.content === 'string' ? turn : { ...turn, content: kept(turn.content) },
    ),
  }
}

const isMarked = (block: JsonObject): boolean => 'cache_control' in block
const unmarked = ({ cache_control: _mark, ...block }: JsonObject): JsonObject => block
const blocksIn = (content: string | readonly JsonObject[]): readonly JsonObject[] =>
  typeof content === 'string' ? [] : content

/** The maximum that Anthropic accepts. */
export const MOST_MARKS = 4
