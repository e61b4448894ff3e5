import type { OpenAICompatibleProviderSettings } from '@ai-sdk/openai-compatible'
import type { Rig } from '../support/rig.ts'

export type Ai = typeof import('ai')
type Provider = ReturnType<typeof import('@ai-sdk/openai-compatible').createOpenAICompatible>

/** AI SDK 6 with its provider for services that speak this wire. */
export interface AiSdk {
  readonly rig: Rig
  readonly ai: Ai
  provider(settings?: Partial<OpenAICompatibleProviderSettings>): Provider
}

export async function loadAiSdk(rig: Rig): Promise<AiSdk> {
  const ai = await import('ai')
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  return {
    rig,
    ai,
    provider: settings => {
      const base = { name: 'svc', baseURL: rig.baseURL, apiKey: rig.key, supportsStructuredOutputs: true }
      return createOpenAICompatible({ ...base, ...settings } as OpenAICompatibleProviderSettings)
    },
  }
}

export const prompt = 'What is 6*7?'
