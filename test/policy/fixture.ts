import type {
  Alias,
  ChatModel,
  Config,
  EmbeddingModel,
  ImageModel,
  Model,
  Place,
  Plan,
  Pool,
} from '../../src/policy/config.ts'
import type { Caller, ChatAsk, EmbeddingAsk, Facts, ImageAsk, InferenceRequest, Terms } from '../../src/policy/facts.ts'
import { limitsOf } from '../../src/policy/limits/named-rules.ts'
import { nanoUsd, ZERO_USD } from '../../src/policy/nano-usd.ts'
import { UNKNOWN } from '../../src/policy/providers/profile.ts'

/** 2026-11-21T10:00:00Z */
export const NOON = 1_795_255_200_000

const place = (line: number): Place => ({ file: 'policy.yaml', line, column: 1 })
const declared = (name: string, line: number) => ({ name, at: place(line), fields: {} })

const pool = (name: string, site: string, replicas: number): Pool => ({
  ...declared(name, 1),
  site,
  replicas: Array.from({ length: replicas }, (_, i) => `http://${name}-${i}/v1`),
  model: `backend/${name}`,
  speaks: ['chat'],
  providerTools: [],
  unknownFields: 'drop',
  balance: replicas > 1 ? 'prefix' : 'busy',
  caches: 'account',
  slotsOver: 'gateway',
  passes: [],
  fetches: false,
  caps: ['max_tokens'],
  fetch: 'whole',
  provider: { facts: UNKNOWN },
})

const pools = {
  core: pool('onprem-core', 'on-premises', 2),
  ultra: pool('onprem-ultra', 'on-premises', 1),
  cloud: pool('cloud-core', 'cloud', 1),
}

const model = (name: string, line: number, over: Partial<ChatModel>): ChatModel => ({
  ...declared(name, line),
  kind: 'chat',
  tier: 'guest',
  serve: [pools.core, pools.cloud],
  context: 32_000,
  maxOutput: 4000,
  vision: false,
  imageTokens: 2000,
  price: { input: nanoUsd(100_000), output: nanoUsd(400_000) },
  commit: 'first_content',
  lossy: 'allow',
  ...over,
})

const core = model('svc-core', 10, {})
const pro = model('svc-pro', 20, {
  tier: 'standard',
  vision: true,
  context: 128_000,
  price: { input: nanoUsd(600_000), output: nanoUsd(2_400_000) },
})
const ultra = model('svc-ultra-pro', 30, {
  tier: 'premium',
  serve: [pools.ultra, pools.cloud],
  context: 128_000,
  maxOutput: 16_000,
  thinking: { default: true, minMaxTokens: 2000 },
  price: { input: nanoUsd(2_000_000), output: nanoUsd(8_000_000) },
})
const calm = model('svc-calm', 40, { tier: 'standard', thinking: { default: false, minMaxTokens: 2000 } })
const tiny = model('svc-tiny', 50, { tier: 'standard', context: 1000, maxOutput: 8 })

const embed: EmbeddingModel = {
  ...declared('svc-embed', 70),
  kind: 'embedding',
  tier: 'standard',
  serve: [pools.core],
  context: 512,
  dimensions: 768,
  anyDimensions: false,
  tokenIds: false,
  price: { input: nanoUsd(20_000), output: ZERO_USD },
}
const image: ImageModel = {
  ...declared('svc-image', 80),
  kind: 'image',
  tier: 'standard',
  serve: [pools.cloud],
  sizes: new Map([
    ['512x512', nanoUsd(10_000_000)],
    ['1024x1024', nanoUsd(20_000_000)],
  ]),
}

const plan = (name: string, line: number, models: readonly Model[], over: Partial<Plan> = {}): Plan => ({
  ...declared(name, line),
  models: new Map(models.map(({ name, tier }) => [name, { by: `tier:${tier}`, at: place(line + 1) }])),
  tools: new Map(),
  limits: limitsOf({ rpm: 20, tpm: 40_000 }),
  rules: [],
  counts: [],
  monthlyNanoUsd: nanoUsd(1_000_000_000),
  overage: false,
  ...over,
})

const guest = plan('guest-device', 100, [core], {
  limits: limitsOf({ rpm: 10, tpm: 10_000, per_day: 7200 }),
  monthlyNanoUsd: nanoUsd(500_000_000),
})
const free = plan('free', 110, [core])
const alias: Alias = { ...declared('svc-auto', 60), model: core }

export const config: Config = {
  revision: 'test',
  plans: new Map(
    [
      guest,
      free,
      plan('pro', 120, [core, pro, calm, tiny, embed, image], {
        limits: limitsOf({ rpm: 120, tpm: 400_000 }),
        monthlyNanoUsd: nanoUsd(20_000_000_000),
        overage: true,
      }),
      plan('team', 130, [core, pro, ultra, calm, tiny], {
        limits: limitsOf({ rpm: 600, tpm: 2_000_000, max_concurrent: 8 }),
        monthlyNanoUsd: nanoUsd(200_000_000_000),
        overage: { capNanoUsd: nanoUsd(100_000_000_000) },
      }),
      plan('small', 140, [core, ultra], { limits: limitsOf({ rpm: 20, tpm: 3000 }) }),
    ].map(entry => [entry.name, entry]),
  ),
  models: new Map([core, pro, ultra, calm, tiny, embed, image].map((entry): [string, Model] => [entry.name, entry])),
  pools: new Map(Object.values(pools).map(entry => [entry.name, entry])),
  passthrough: new Map(),
  aliases: new Map([[alias.name, alias]]),
  defaultModel: alias,
  routes: [],
  labels: new Map(),
  notices: [],
  matchers: [],
  tools: new Map(),
  declared: { chat: new Map(), embedding: new Map(), image: new Map() },
  defaultPlan: free,
  guestPlan: guest,
}

/** A config whose default is a model by name, not an alias. */
export const explicitDefault: Config = { ...config, defaultModel: core }

/** Facts of one short chat on plan free, with what a test changes. */
export const facts = (chat: Partial<ChatAsk> = {}, plan = 'free', down: readonly string[] = [], at = NOON): Facts =>
  factsOf(
    { kind: 'chat', stream: false, messages: 1, textBytes: 20, images: 0, tools: 0, choices: 1, ...chat },
    plan,
    down,
    at,
  )

export const embedding = (ask: Partial<EmbeddingAsk> = {}, plan = 'pro'): Facts =>
  factsOf({ kind: 'embedding', model: 'svc-embed', textBytes: 20, inputs: 2, ...ask }, plan)

export const picture = (ask: Partial<ImageAsk> = {}, plan = 'pro'): Facts =>
  factsOf({ kind: 'image', model: 'svc-image', textBytes: 20, images: 1, ...ask }, plan)

function factsOf(request: InferenceRequest, plan: string, down: readonly string[] = [], at = NOON): Facts {
  return { at, caller: callerOn({ override: plan }), request, health: { down }, signals: {} }
}

export const callerOn = (terms: Terms, kind: Caller['kind'] = 'developer'): Caller => ({
  kind,
  account: 'acct_test',
  keyPrefix: 'svc_test…',
  terms,
})
