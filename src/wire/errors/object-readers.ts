import type { Headers } from '../openai/signals.ts'

/** Whether a request comes from software that reads an error only where `error` is an object. */
export function readsOnlyObjects(headers: Headers): boolean {
  // Sent by the SDKs of OpenAI in every language, and so by all that is built on them: of a text they keep the JSON, and
  // neither code nor type.
  if (headers['x-stainless-lang'] !== undefined) return true
  const agent = headers['user-agent']
  if (typeof agent !== 'string') return false
  return agent
    .slice(0, MOST_CHARACTERS)
    .toLowerCase()
    .split(/[\s;()]+/)
    .some(product => OBJECT_READERS.some(({ product: known }) => product.startsWith(known)))
}

/** More of a user agent is not looked at. */
const MOST_CHARACTERS = 512

/**
 * The same by user agent: the beginning of a product in it, in small letters, and what was seen when the software was given
 * a text for `error`.
 */
const OBJECT_READERS: readonly { readonly product: string; readonly because: string }[] = [
  { product: 'ai/', because: 'the AI SDK shows the reason phrase of the status line, and nothing of the body' },
  { product: 'ai-sdk', because: 'the AI SDK shows the reason phrase of the status line, and nothing of the body' },
  { product: 'opencode', because: 'ends at a prompt that is too long, where it compacts its history after an object' },
  { product: 'kilo', because: 'shows the reason phrase alone, as opencode does' },
  { product: 'copilot', because: 'shows the reason phrase alone' },
  { product: 'githubcopilot', because: 'shows the reason phrase alone' },
  { product: 'codex', because: 'shows the raw JSON, and compacts only at the code context_length_exceeded' },
  { product: 'cline', because: 'shows the raw JSON' },
  { product: 'roo', because: 'shows the raw JSON, as Cline does' },
  { product: 'continue', because: 'shows the raw JSON' },
  { product: 'qwencode', because: 'shows the raw JSON' },
  { product: 'promptfoo', because: 'shows the raw JSON' },
  { product: 'openai/', because: 'the SDK of OpenAI where its own headers are taken away' },
  { product: 'asyncopenai/', because: 'the SDK of OpenAI where its own headers are taken away' },
  { product: 'litellm', because: 'maps errors to its exceptions by the code in the object' },
  { product: 'langchain', because: 'shows the whole JSON' },
  { product: 'openai-compatible-tester', because: 'asks for the object of OpenAI' },
]
