import { jsonBytes, parse, textOf } from '../json-bytes.ts'
import { isObject } from '../json-safety.ts'
import { messageEvent } from './event.ts'

/**
 * Whether a client wants answers to have the name of the model that it asked for. Claude Code sends thoughts back with the
 * results of their calls only where both names are the same, and some models refuse calls without their thoughts.
 */
export const comparesModels = (userAgent: string | undefined): boolean => userAgent?.startsWith('claude-cli/') === true

/** Events of a native stream, of which the first one has this name of the model. */
export function startNamed(events: string, model: string): string {
  const from = events.indexOf(START)
  if (from === -1) return events
  const end = events.indexOf('\n\n', from) + 2
  const data = events.slice(from + START.length, end - 2).replaceAll('\ndata: ', '\n')
  const start = parse(data)
  if (!isObject(start) || !isObject(start.message)) return events
  const message = JSON.stringify({ ...start.message, model })
  return events.slice(0, from) + messageEvent('message_start', `"message":${message}`) + events.slice(end)
}

const START = 'event: message_start\ndata: '

/** A whole native answer with this name of the model. */
export function answerNamed(bytes: Buffer, model: string): Buffer {
  const message = parse(textOf(bytes))
  return isObject(message) ? jsonBytes({ ...message, model }) : bytes
}
