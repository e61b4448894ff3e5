import type { OpenAI } from 'openai'
import type { zodResponseFormat } from 'openai/helpers/zod'
import type { Rig } from '../support/rig.ts'

type ClientOptions = NonNullable<ConstructorParameters<typeof OpenAI>[0]>

/** One major of the openai SDK on a rig. Its types are those of 6, which the others share where they are used. */
export interface Sdk {
  readonly rig: Rig
  readonly OpenAI: typeof OpenAI
  readonly zodResponseFormat: typeof zodResponseFormat
  /** Set up as our users are told to: a base URL and a key. */
  client(options?: Partial<ClientOptions>): OpenAI
  /** Where parse, stream and runTools live: 4 has them under beta. */
  helpers(client?: OpenAI): OpenAI['chat']['completions']
}

export async function loadSdk(name: string, rig: Rig): Promise<Sdk> {
  const { OpenAI: Client } = (await import(name)) as typeof import('openai')
  const { zodResponseFormat: format } = (await import(`${name}/helpers/zod`)) as typeof import('openai/helpers/zod')
  const client: Sdk['client'] = options => new Client({ baseURL: rig.baseURL, apiKey: rig.key, ...options })
  return {
    rig,
    OpenAI: Client,
    zodResponseFormat: format,
    client,
    helpers: (of = client()) => {
      const { completions } = of.chat
      const beta = of.beta as unknown as { chat?: { completions: typeof completions } }
      return 'parse' in completions || !beta.chat ? completions : beta.chat.completions
    },
  }
}

export const user = (content: string) => ({ role: 'user' as const, content })
export const sum = { model: 'svc-core', messages: [user('What is 6*7?')] }

/** 4 gives headers as an object, the others as Headers. */
export function headerOf(headers: unknown, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  return (headers as Record<string, string> | undefined)?.[name]
}
