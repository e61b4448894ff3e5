import { asObject, type JsonObject } from '../../../src/wire/json-safety.ts'

/**
 * The message that a client gathers from the events of a stream. It is strict: blocks must not overlap, indexes have no
 * gaps, each delta is of the kind of its block, and one message_stop is the last event.
 */
export function messageOf(events: readonly JsonObject[]): JsonObject {
  const [start, ping, ...rest] = events
  if (start?.type !== 'message_start' || ping?.type !== 'ping') throw new Error('the stream begins otherwise')
  if (rest.at(-1)?.type !== 'message_stop') throw new Error('the stream does not end')
  const ending = rest.at(-2)
  if (ending?.type !== 'message_delta') throw new Error('message_delta does not stand before the end')
  return {
    ...asObject(start.message),
    ...asObject(ending.delta),
    usage: ending.usage,
    content: blocksOf(rest.slice(0, -2)),
  }
}

interface Block {
  readonly type: string
  text?: string
  thinking?: string
  signature?: string
  json?: string
}

function blocksOf(events: readonly JsonObject[]): JsonObject[] {
  const blocks: JsonObject[] = []
  let open: Block | undefined
  for (const event of events) {
    if (event.index !== blocks.length) throw new Error(`index ${event.index} stands in block ${blocks.length}`)
    switch (event.type) {
      case 'content_block_start':
        if (open) throw new Error('two blocks are open')
        open = { ...(event.content_block as Block) }
        break
      case 'content_block_delta':
        if (!open) throw new Error('a delta stands outside of a block')
        add(open, asObject(event.delta))
        break
      case 'content_block_stop':
        if (!open) throw new Error('a block is closed that is not open')
        blocks.push(finished(open))
        open = undefined
        break
      default:
        throw new Error(`${event.type} stands among the blocks`)
    }
  }
  if (open) throw new Error('a block is not closed')
  return blocks
}

const FIELDS: Readonly<Record<string, readonly [type: string, field: 'text' | 'thinking' | 'signature' | 'json']>> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['thinking', 'signature'],
  input_json_delta: ['tool_use', 'json'],
}

function add(block: Block, delta: JsonObject): void {
  const [type, field] = FIELDS[String(delta.type)] ?? []
  if (field === undefined || block.type !== type) throw new Error(`${delta.type} in a block of type ${block.type}`)
  const text = delta[field === 'json' ? 'partial_json' : field]
  if (typeof text !== 'string' || text === '') throw new Error('a delta says nothing')
  if (block.signature && field === 'thinking') throw new Error('thinking goes on after its signature')
  block[field] = (block[field] ?? '') + text
}

function finished({ json, ...block }: Block): JsonObject {
  if (block.type === 'thinking' && !block.signature) throw new Error('thinking has no signature')
  return block.type === 'tool_use' ? { ...block, input: JSON.parse(json ?? '{}') } : { ...block }
}
