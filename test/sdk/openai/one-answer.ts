import type { OpenAI } from 'openai'
import { expect } from 'vitest'

/** One answer, however it was asked for. */
export interface Seen {
  readonly role: string
  readonly content: string | null
  readonly calls: readonly unknown[]
  readonly finish: string
  readonly usage: unknown
}

export function seen({ choices, usage }: OpenAI.ChatCompletion): Seen {
  const [choice] = choices
  if (!choice || choices.length > 1) throw new Error(`${choices.length} choices`)
  const { role, content, tool_calls: calls = [] } = choice.message
  return { role, content, calls, finish: choice.finish_reason, usage }
}

/** Throws where it is more than one answer. */
export async function streamed(chunks: AsyncIterable<OpenAI.ChatCompletionChunk>): Promise<Seen> {
  const all: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of chunks) all.push(chunk)
  const choices = all.flatMap(chunk => chunk.choices)
  const identities = new Set(all.map(({ id, model, created }) => `${id} ${model} ${created}`))
  const roles = choices.flatMap(({ delta }) => delta.role ?? [])
  const finishes = choices.flatMap(({ finish_reason: finish }) => finish ?? [])
  const usages = all.flatMap(({ usage }) => usage ?? [])
  expect([identities.size, roles.length, finishes.length, usages.length]).toEqual([1, 1, 1, 1])
  return {
    role: roles.join(),
    content: choices.map(({ delta }) => delta.content ?? '').join(''),
    calls: choices.flatMap(({ delta }) => delta.tool_calls ?? []),
    finish: finishes.join(),
    usage: usages[0],
  }
}
