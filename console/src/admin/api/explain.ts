import type { ShownExplained } from '../../../../src/wire/admin/explained.ts'
import { ask } from '../../shared/api.ts'
import { quoted } from '../shell.ts'

/** A request that is asked about: texts as they are typed. */
export interface Question {
  readonly account: string
  /** The id of a key; empty for a sign-in. */
  readonly key: string
  /** Empty where none is named. */
  readonly model: string
  readonly promptTokens: string
  readonly maxTokens: string
  readonly stream: boolean
  readonly tools: readonly string[]
}

/** Asks what the request would get now. Nothing is sent. */
export const explain = ({ account, key, model, promptTokens, maxTokens, stream, tools }: Question) =>
  ask<ShownExplained>('/admin/explain', {
    account,
    ...(key && { key }),
    ...(model && { model }),
    ...(promptTokens && { prompt_tokens: Number(promptTokens) }),
    ...(maxTokens && { max_tokens: Number(maxTokens) }),
    ...(stream && { stream }),
    ...(tools.length > 0 && { tools }),
  })

/** The command that asks the same. */
export const commandOf = ({ account, key, model, promptTokens, maxTokens, stream, tools }: Question): string =>
  [
    'svcctl explain',
    key ? `--key ${key}` : `--account ${quoted(account)}`,
    model && `--model ${quoted(model)}`,
    promptTokens && `--chat-tokens ${promptTokens}`,
    maxTokens && `--max-tokens ${maxTokens}`,
    stream && '--stream',
    ...tools.map(tool => `--tool ${quoted(tool)}`),
  ]
    .filter(Boolean)
    .join(' ')
