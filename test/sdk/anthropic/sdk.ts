import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk'
import type { Rig } from '../support/rig.ts'

/** The SDK of Anthropic on a rig. */
export interface Sdk {
  readonly rig: Rig
  /** Set up as our users are told to: the URL without /v1, which it adds, and a key. */
  client(options?: ClientOptions): Anthropic
}

export const loadSdk = (rig: Rig): Sdk => ({
  rig,
  client: options => new Anthropic({ baseURL: rig.test.url, apiKey: rig.key, ...options }),
})

export const user = (content: Anthropic.MessageParam['content']): Anthropic.MessageParam => ({ role: 'user', content })
export const sum = { model: 'svc-core', max_tokens: 100, messages: [user('What is 6*7?')] }

/** The text of an answer. */
export const textOf = ({ content }: Anthropic.Message): string =>
  content.map(block => (block.type === 'text' ? block.text : '')).join('')
