import { fitting } from './fitting.ts'
import type { ChatRequest, Tool } from './request.ts'

/** A call that the answer makes, its arguments as JSON text. */
export interface Call {
  readonly name: string
  readonly arguments: string
}

/**
 * The calls an answer makes: a forced one always; otherwise, to a user's message, every tool that it mentions by a
 * word of its name or, if there is none, by two words of its description.
 */
export function callsFor(request: ChatRequest): readonly Call[] {
  const text = lastUserText(request)
  const called = calledTools(request, text)
  const allowed = request.parallelCalls ? called : called.slice(0, 1)
  return allowed.map(tool => ({
    name: tool.name,
    arguments: JSON.stringify(
      fitting({ type: 'object', ...tool.parameters }, { text, whole: withoutLead(text, tool), sparing: true }),
    ),
  }))
}

/** The text without a beginning that only says which tool to use: "Search the docs: …", "look in the docs for …". */
function withoutLead(text: string, tool: Tool): string {
  const lead = /^[^:?!.\n]{1,80}?(?::|\b(?:about|for)\b(?! (?:me|us)\b))\s+(?=\S)/i.exec(text)?.[0]
  if (lead === undefined) return text
  const said = wordsOf(lead)
  return wordsOf(tool.name).some(word => said.includes(word)) ? text.slice(lead.length) : text
}

/** The user's last message, whatever tools have said since. */
export const lastUserText = ({ messages }: ChatRequest): string =>
  messages.findLast(message => message.role === 'user')?.text ?? ''

function calledTools({ tools, toolChoice, messages }: ChatRequest, text: string): readonly Tool[] {
  if (toolChoice === 'none') return []
  if (typeof toolChoice === 'object') return tools.filter(tool => tool.name === toolChoice.name).slice(0, 1)
  const said = new Set(wordsOf(text))
  const named = tools.filter(tool => wordsOf(tool.name).some(word => said.has(word)))
  const described = tools.filter(tool => wordsOf(tool.description).filter(word => said.has(word)).length >= 2)
  const mentioned = named.length > 0 ? named : described
  if (toolChoice === 'required') return mentioned.length > 0 ? mentioned : tools.slice(0, 1)
  return messages.at(-1)?.role === 'user' ? mentioned : []
}

/** Words that say nothing about which tool is meant. */
const COMMON = new Set(
  `a about all an and any are at be by call can do does fetch find for from function get give given has have how if in into
  is it its list make me my of on or out return returns run set show some tell that the their them then there this to tool
  up use user using value want was what when where which who will with you your`.split(/\s+/),
)

/**
 * Distinct words in lower case, without endings: `getWeather` and `get_weather` are two words each, `calculator` and
 * `calculate` are the same.
 */
function wordsOf(text: string): readonly string[] {
  const words =
    text
      .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  const telling = words.filter(word => word.length > 1 && !COMMON.has(word))
  return [...new Set(telling.map(stem))]
}

const stem = (word: string): string => word.replace(/(?<=.{3})s$/, '').replace(/(?<=.{4})(?:ing|ions?|ed|er|or|e)$/, '')
