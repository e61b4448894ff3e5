import { isObject } from '../../wire/json.ts'
import { ToolFailure, UNREADABLE } from './failure.ts'
import type { Outcome } from './tool.ts'

/** The result of a `tools/call` as text: its texts, else its structured content, and a mark for all that is neither. */
export function outcomeOf(result: Readonly<Record<string, unknown>>): Outcome {
  const { content = [], structuredContent, isError } = result
  if (!Array.isArray(content) || !('content' in result || 'structuredContent' in result))
    throw new ToolFailure(UNREADABLE, 'its result has no content')
  const parts = content.map(partOf)
  const lines = parts.map(({ text, mark }) => text ?? mark ?? '')
  const structured = structuredContent !== undefined && !parts.some(({ text }) => text)
  if (structured) lines.unshift(JSON.stringify(structuredContent))
  return { text: lines.join('\n'), failed: isError === true }
}

interface Part {
  readonly text?: string
  /** In place of what is no text. */
  readonly mark?: string
}

function partOf(block: unknown): Part {
  if (!isObject(block)) return leftOut('content')
  const { type, text, resource } = block
  if (type === 'text' && typeof text === 'string') return { text }
  if (type === 'resource' && isObject(resource))
    return typeof resource.text === 'string' ? { text: resource.text } : leftOut('resource', resource.mimeType)
  if (type === 'image' || type === 'audio') return leftOut(type, block.mimeType)
  return leftOut(type === 'resource_link' ? 'link' : 'content')
}

const leftOut = (what: string, mimeType?: unknown): Part => ({
  mark: `[${typeof mimeType === 'string' && MIME.test(mimeType) ? mimeType : what} left out]`,
})

const MIME = /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/
