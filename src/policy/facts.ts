import type { EpochMs } from './config.ts'

/** What is known about one request: plain JSON without prompt text, so that a logged line can be decided again. */
export interface Facts {
  readonly at: EpochMs
  readonly caller: Caller
  readonly request: InferenceRequest
  readonly health: Health
}

export interface Caller {
  readonly kind: 'developer'
  /** `acct_…`; every counter belongs to it, so that rotating a key resets nothing. */
  readonly account: string
  readonly plan: string
  /** The masked key, as shown to its owner. */
  readonly keyPrefix: string
}

/** What a request asks for, as far as policy needs to know. */
export type InferenceRequest = ChatAsk | EmbeddingAsk | ImageAsk

interface Ask {
  /** As the client wrote it; absent when it left the choice to us. */
  readonly model?: string
  /** UTF-8 bytes of everything that a model may read. */
  readonly textBytes: number
}

export interface ChatAsk extends Ask {
  readonly kind: 'chat'
  readonly stream: boolean
  readonly messages: number
  readonly images: number
  /** The client's own output cap and the field it used. */
  readonly cap?: { readonly field: CapField; readonly tokens: number }
  /** Completions asked for, 1 to 4. */
  readonly choices: number
  /** `chat_template_kwargs.enable_thinking`, when given. */
  readonly thinking?: boolean
}

export interface EmbeddingAsk extends Ask {
  readonly kind: 'embedding'
  readonly inputs: number
  /** `dimensions`, when given. */
  readonly dimensions?: number
}

export interface ImageAsk extends Ask {
  readonly kind: 'image'
  /** Images asked for, 1 to 4. */
  readonly images: number
  readonly size?: string
}

export type CapField = 'max_tokens' | 'max_completion_tokens'

export interface Health {
  /** Names of the pools without one replica that is fit to serve. */
  readonly down: readonly string[]
}
