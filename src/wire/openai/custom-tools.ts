import { parse } from '../json-bytes.ts'
import { asObject, isObject, type JsonObject } from '../json-safety.ts'

/** A tool that takes any text in place of JSON, as clients declare it in each dialect. */
export interface TextTool {
  readonly name: string
  readonly description?: string | undefined
  /** The grammar that the text must match. */
  readonly grammar?: { readonly syntax: string; readonly definition: string } | undefined
}

/** A function with the text as its one argument: backends of chats know no other tools. */
export function textFunction({ name, description, grammar }: TextTool): JsonObject {
  // No chat can hold the model to a grammar.
  const rule = grammar && `The input must match this ${grammar.syntax} grammar:\n${grammar.definition}`
  const texts = [description, rule].filter(text => text)
  return { name, ...(texts.length > 0 && { description: texts.join('\n\n') }), parameters: ONE_TEXT }
}

const ONE_TEXT = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input of the tool, as plain text.' } },
  required: ['input'],
  additionalProperties: false,
}

/** The text in the arguments of such a function. Models that call it by the text alone mean that. */
export function textInput(args: string): string {
  const parsed = parse(args)
  return isObject(parsed) && typeof parsed.input === 'string' ? parsed.input : args
}

/** Whether a chat has custom tools, or calls of them. */
export const hasCustomTools = ({ tools, tool_choice, messages }: JsonObject): boolean =>
  some(tools, isCustom) || isCustomChoice(asObject(tool_choice)) || some(messages, calls)

/** A chat with functions in place of custom tools, and the names of these. The chat is a valid one. */
export function withoutCustomTools(chat: JsonObject): {
  readonly chat: JsonObject
  readonly custom: ReadonlySet<string>
} {
  const { tools, tool_choice, messages } = chat
  const custom = new Set(
    listOf(tools)
      .filter(isCustom)
      .map(tool => String(asObject(tool.custom).name)),
  )
  return {
    chat: {
      ...chat,
      ...(Array.isArray(tools) && { tools: tools.map(tool => (isCustom(tool) ? functionOf(tool) : tool)) }),
      ...(isObject(tool_choice) && { tool_choice: choiceOf(tool_choice) }),
      ...(Array.isArray(messages) && {
        messages: messages.map(message => (calls(message) ? called(message) : message)),
      }),
    },
    custom,
  }
}

const some = (list: unknown, is: (item: unknown) => boolean): boolean => Array.isArray(list) && list.some(is)
const listOf = (list: unknown): readonly JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : [])

const isCustom = (value: unknown): value is JsonObject => isObject(value) && value.type === 'custom'
const isCustomChoice = ({ type, allowed_tools }: JsonObject): boolean =>
  type === 'custom' || some(asObject(allowed_tools).tools, isCustom)
const calls = (message: unknown): message is JsonObject => isObject(message) && some(message.tool_calls, isCustom)

function functionOf({ custom }: JsonObject): JsonObject {
  const { name, description, format } = asObject(custom)
  const { type, grammar } = asObject(format)
  const { syntax, definition } = asObject(grammar)
  const declared = textFunction({
    name: String(name),
    ...(typeof description === 'string' && { description }),
    ...(type === 'grammar' && { grammar: { syntax: String(syntax), definition: String(definition) } }),
  })
  // It is the client's, whatever hosted tool has this name.
  return { type: 'function', function: declared, hosted: false }
}

function choiceOf(choice: JsonObject): JsonObject {
  if (choice.type === 'custom') return named(choice)
  const { allowed_tools } = choice
  if (!isObject(allowed_tools) || !some(allowed_tools.tools, isCustom)) return choice
  const tools = listOf(allowed_tools.tools).map(tool => (isCustom(tool) ? named(tool) : tool))
  return { ...choice, allowed_tools: { ...allowed_tools, tools } }
}

const named = ({ custom }: JsonObject): JsonObject => ({ type: 'function', function: { name: asObject(custom).name } })

function called(message: JsonObject): JsonObject {
  const tool_calls = listOf(message.tool_calls).map(({ custom, ...call }) => {
    if (call.type !== 'custom') return call
    const { name, input } = asObject(custom)
    return { ...call, type: 'function', function: { name, arguments: JSON.stringify({ input }) } }
  })
  return { ...message, tool_calls }
}
