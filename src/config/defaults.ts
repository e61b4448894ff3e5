import type { Timeouts } from './settings.ts'

/** What holds when the files do not say. The schema names the same values; a test compares them. */
export const DEFAULTS = {
  brand: 'svc',
  listen: '127.0.0.1:8080',
  admin: '127.0.0.1:9090',
  stateDir: './data',
  store: 'embedded:./data',
  keep: '90d',
  tokenTypes: ['at+jwt'],
  clientId: 'svcctl',
  mintPerIpHour: 60,
  body: '10MB',
  embeddingBatch: 2048,
  imageSizes: ['512x512', '1024x1024'],
  dimensions: 768,
  maxOutput: '4k',
  imageTokens: '2k',
  eject: { after: 5, for: '5s' },
} as const

/** YAML name and default of each timeout. */
export const TIMEOUTS = {
  connectTimeout: ['connect_timeout', '1s'],
  headersTimeout: ['headers_timeout', '15s'],
  firstContentTimeout: ['first_content_timeout', '60s'],
  idleTimeout: ['idle_timeout', '60s'],
  streamTimeout: ['stream_timeout', '600s'],
  answerTimeout: ['answer_timeout', '600s'],
} as const satisfies Record<keyof Timeouts, readonly [string, string]>
