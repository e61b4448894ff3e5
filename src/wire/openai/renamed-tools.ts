import type { AnswerWriter, StreamError } from '../client-dialect.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'
import { errorEvent, sseDone, sseEvent } from '../sse.ts'
import { ToolNames } from '../tool-names.ts'

/** Characters that backends refuse in a tool's name: agents name theirs `github.search`, as their servers call them. */
const ODD = /[^A-Za-z0-9_-]/

/** Whether tools of a chat, or calls in it, have names that backends do not take. */
export function hasOddNames({ tools, messages }: JsonObject): boolean {
  if (tools !== undefined && some(tools, isOddCall)) return true
  if (!Array.isArray(messages)) return false
  for (const message of messages) {
    const calls = asObject(message).tool_calls
    if (calls !== undefined && some(calls, isOddCall)) return true
  }
  return false
}

/** A chat whose tools have names that every backend takes, and what makes their own ones of these. */
export function withoutOddNames(chat: JsonObject): { readonly chat: JsonObject; readonly names: ReadonlyNames } {
  const names = new Names(chat)
  const { tools, tool_choice, messages } = chat
  return {
    chat: {
      ...chat,
      ...(Array.isArray(tools) && { tools: tools.map(tool => ownTool(tool, names)) }),
      ...(isObject(tool_choice) && { tool_choice: renamedChoice(tool_choice, names) }),
      ...(Array.isArray(messages) && {
        messages: messages.map(message =>
          some(asObject(message).tool_calls, isOddCall) ? renamedCalls(asObject(message), names.sent) : message,
        ),
      }),
    },
    names,
  }
}

/** Writes chat answers in which tools have the names that their client gave them. */
export class RenamingWriter implements AnswerWriter {
  readonly #names: ReadonlyNames
  readonly #inner: AnswerWriter | undefined

  /** `inner` writes what has its names. */
  constructor(names: ReadonlyNames, inner?: AnswerWriter) {
    this.#names = names
    this.#inner = inner
  }

  whole(completion: JsonObject, usage: Parameters<AnswerWriter['whole']>[1]): JsonObject {
    const named = this.#named(completion, 'message')
    return this.#inner?.whole(named, usage) ?? named
  }

  chunk(chunk: JsonObject): string {
    const named = this.#named(chunk, 'delta')
    return this.#inner ? this.#inner.chunk(named) : sseEvent(JSON.stringify(named))
  }

  end(usage: Parameters<AnswerWriter['end']>[0]): string {
    return this.#inner?.end(usage) ?? sseDone
  }

  fail(error: StreamError): string {
    return this.#inner?.fail(error) ?? errorEvent(error.message, error.type, error.code)
  }

  #named(answer: JsonObject, part: 'message' | 'delta'): JsonObject {
    const { choices } = answer
    if (!Array.isArray(choices)) return answer
    const named = choices.map(choice => {
      const said = asObject(asObject(choice)[part])
      return Array.isArray(said.tool_calls)
        ? { ...asObject(choice), [part]: renamedCalls(said, this.#names.own) }
        : choice
    })
    return { ...answer, choices: named }
  }
}

/** The way back, from the backend's name of a tool. */
interface ReadonlyNames {
  readonly own: (sent: string) => string
}

class Names implements ReadonlyNames {
  readonly #names = new ToolNames<string>()

  constructor({ tools }: JsonObject) {
    // Those of which the others must differ.
    for (const tool of listOf(tools)) {
      const { name } = calledIn(tool)
      if (typeof name === 'string' && !isOdd(name)) this.#names.send(name, name, name)
    }
  }

  readonly sent = (name: string): string => (isOdd(name) ? this.#names.send(name, name, name) : name)
  readonly own = (sent: string): string => this.#names.find(sent) ?? sent
}

const listOf = (list: unknown): readonly JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : [])
const some = (list: unknown, is: (item: JsonObject) => boolean): boolean =>
  Array.isArray(list) && list.some(item => is(asObject(item)))

const calledIn = ({ function: called, custom }: JsonObject): JsonObject => asObject(called ?? custom)
const isOdd = (name: unknown): boolean => typeof name === 'string' && ODD.test(name)
const isOddCall = (call: JsonObject): boolean => isOdd(calledIn(call).name)

/** It is the client's, whatever hosted tool has the name that it gets. */
function ownTool(tool: unknown, names: Names): unknown {
  const known = asObject(tool)
  return isOddCall(known) ? { ...renamed(known, names.sent), hosted: false } : tool
}

function renamed(named: JsonObject, name: (of: string) => string): JsonObject {
  const { function: called, custom } = named
  const other = (of: JsonObject) => ({ ...of, ...(typeof of.name === 'string' && { name: name(of.name) }) })
  return {
    ...named,
    ...(isObject(called) && { function: other(called) }),
    ...(isObject(custom) && { custom: other(custom) }),
  }
}

const renamedCalls = (said: JsonObject, name: (of: string) => string): JsonObject => ({
  ...said,
  tool_calls: listOf(said.tool_calls).map(call => renamed(call, name)),
})

function renamedChoice(choice: JsonObject, names: Names): JsonObject {
  const { allowed_tools } = choice
  if (!isObject(allowed_tools)) return renamed(choice, names.sent)
  const tools = listOf(allowed_tools.tools).map(tool => renamed(tool, names.sent))
  return { ...choice, allowed_tools: { ...allowed_tools, tools } }
}
