import type { ListenerSettings, Timeouts } from '../settings.ts'

/** What holds when the files do not say. The schema names the same values; a test compares them. */
export const DEFAULTS = {
  brand: 'svc',
  listen: '127.0.0.1:8080',
  admin: '127.0.0.1:9090',
  stateDir: './data',
  console: true,
  workers: 1,
  instances: 1,
  drainDelay: '0s',
  drainTimeout: '600s',
  store: 'embedded:./data',
  keep: '90d',
  archiveKeep: '2d',
  decisions: { log: true, path: 'decisions', maxSize: '64MB', files: 8 },
  log: { format: 'text', level: 'info' },
  metricsPublic: false,
  sample: 1,
  tokenTypes: ['at+jwt'],
  accountClaim: 'sub',
  clientId: 'svcctl',
  mintPerIpHour: 60,
  maxBytesPerAccount: '16MB',
  maxResponsesPerAccount: 1000,
  errorForm: 'auto',
  body: '10MB',
  embeddingBatch: 2048,
  imageSizes: ['512x512', '1024x1024'],
  keysPerAccount: 50,
  toolRounds: 8,
  toolTime: '120s',
  transport: 'streamable_http',
  toolTimeout: '10s',
  maxCalls: 3,
  maxResult: '16KB',
  usdPerCall: 0,
  connections: '10k',
  connectionsPerIp: 256,
  shedLoad: true,
  dimensions: 768,
  anyDimensions: false,
  tokenIds: false,
  maxOutput: '4k',
  accepts: ['json'],
  maxUsageOutput: 0,
  maxSession: '1h',
  sessionIdle: '5m',
  maxMessage: '1MB',
  imageTokens: '2k',
  commit: 'first_content',
  lossy: 'allow',
  speaks: ['chat'],
  eject: { after: 5, for: '5s' },
  waitForRetryAfter: '0s',
  queueTimeout: '500ms',
  probe: { path: '/health', every: '10s' },
} as const

/** YAML name and default of each timeout. */
export const TIMEOUTS = {
  connectTimeout: ['connect_timeout', '1s'],
  headersTimeout: ['headers_timeout', '15s'],
  firstContentTimeout: ['first_content_timeout', '30s'],
  idleTimeout: ['idle_timeout', '60s'],
  streamTimeout: ['stream_timeout', '600s'],
  answerTimeout: ['answer_timeout', '600s'],
} as const satisfies Record<keyof Timeouts, readonly [string, string]>

/** YAML name and default of each timeout of a listener. */
export const LISTENER_TIMEOUTS = {
  headersTimeout: ['headers_timeout', '10s'],
  requestTimeout: ['request_timeout', '60s'],
  idleTimeout: ['idle_timeout', '65s'],
} as const satisfies Record<
  Exclude<keyof ListenerSettings, `connections${string}` | 'shedLoad'>,
  readonly [string, string]
>
