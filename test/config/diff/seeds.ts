import { type Edit, shipped } from './edited.ts'

const plans = (old: string, put: string): Edit => ['policies/plans.yaml', old, put]
const models = (old: string, put: string): Edit => ['policies/models.yaml', old, put]
const pools = (old: string, put: string): Edit => ['policies/pools.yaml', old, put]
const routing = (old: string, put: string): Edit => ['policies/routing.yaml', old, put]
const tools = (old: string, put: string): Edit => ['policies/tools.yaml', old, put]
const images = (old: string, put: string): Edit => ['policies/images.yaml', old, put]
const embeddings = (old: string, put: string): Edit => ['policies/embeddings.yaml', old, put]
const main = (old: string, put: string): Edit => ['config.example.yaml', old, put]

const LONG_INPUT = `  - name: long-input
    when: { input_tokens: { over: 8k } }
    use: svc-pro
`
const EMBED_FAST = `  svc-embed-fast:
    kind: embedding
    tier: guest
    serve: [onprem-embed-fast]
    context: 8k
    usd_per_1m: { input: 0.01 }

`
const GUESTS = /guests:[\s\S]*?(?=\nstore:)/

/** Changes of the shipped policies, and all that they mean. */
export const seeds: readonly { readonly edits: readonly Edit[]; readonly says: readonly string[] }[] = [
  {
    edits: [
      models(
        'usd_per_1m: { input: 0.60, output: 2.40 }',
        'usd_per_1m: { input: 0.60, output: 2.40, cached_input: 0.06, cache_write: 0.75 }',
      ),
    ],
    says: [
      'less policies/models.yaml:17 price of svc-pro cache writes 0.60 → 0.75 USD per 1M',
      'more policies/models.yaml:17 price of svc-pro cached input 0.60 → 0.06 USD per 1M',
    ],
  },
  {
    edits: [
      pools(
        '    max_concurrent: 50',
        '    auth: api-key\n    headers: { x-a: b }\n    query: { v: 1.0.0 }\n    max_concurrent: 50',
      ),
    ],
    says: [
      'plumbing policies/pools.yaml:27 pool cloud-core: auth bearer → api-key',
      'plumbing policies/pools.yaml:28 pool cloud-core is now sent x-a: b',
      'plumbing policies/pools.yaml:29 pool cloud-core: query none → v=1.0.0',
    ],
  },
  {
    edits: [pools('    max_concurrent: 50', '    speaks: [chat, messages]\n    max_concurrent: 50')],
    says: [
      'plumbing policies/pools.yaml:27 pool cloud-core: speaks chat → chat and messages',
      'plumbing policies/pools.yaml:22 pool cloud-core is now sent anthropic-version: 2023-06-01',
    ],
  },
  {
    edits: [
      pools(
        '    max_concurrent: 50',
        '    speaks: [responses]\n    provider_tools: [web_search]\n    unknown_fields: drop\n    passes: [top_k]\n    fetches: true\n    max_concurrent: 50',
      ),
    ],
    says: [
      'plumbing policies/pools.yaml:27 pool cloud-core: speaks chat → responses',
      'plumbing policies/pools.yaml:28 pool cloud-core: provider_tools none → web_search',
      'plumbing policies/pools.yaml:29 pool cloud-core: unknown_fields refuse → drop',
      'plumbing policies/pools.yaml:30 pool cloud-core: passes none → top_k',
      'plumbing policies/pools.yaml:31 pool cloud-core: fetches false → true',
    ],
  },
  {
    edits: [pools('    max_concurrent: 50', '    cap: both\n    max_concurrent: 50')],
    says: ['plumbing policies/pools.yaml:27 pool cloud-core: cap max_tokens → max_tokens and max_completion_tokens'],
  },
  {
    edits: [
      pools('    max_concurrent: 50', '    provider: { is: groq, stream_options: false }\n    max_concurrent: 50'),
    ],
    says: [
      'plumbing policies/pools.yaml:22 pool cloud-core: unknown_fields refuse → drop',
      'plumbing policies/pools.yaml:27 pool cloud-core: provider none → groq',
      'plumbing policies/pools.yaml:27 pool cloud-core: provider.drops none → prompt_cache_key, store, logprobs, top_logprobs and logit_bias',
      'plumbing policies/pools.yaml:27 pool cloud-core: provider.stream_options true → false',
    ],
  },
  {
    edits: [models('    max_output: 16k\n', '    max_output: 16k\n    lossy: refuse\n')],
    says: ['other policies/models.yaml:25 svc-ultra-pro: lossy allow → refuse'],
  },
  {
    edits: [main('format: text', 'format: json'), main('public: false', 'public: true')],
    says: [
      'plumbing config.example.yaml:65 log.format text → json',
      'plumbing config.example.yaml:68 metrics.public false → true',
    ],
  },
  {
    edits: [main('# traces: #', 'traces: { endpoint: http://localhost:4318 } #')],
    says: ['plumbing config.example.yaml:70 requests are now traced'],
  },
  {
    edits: [main('public: false', 'public: false\n  otlp: { endpoint: http://localhost:4318 }')],
    says: ['plumbing config.example.yaml:69 metrics are now sent to a collector'],
  },
  {
    edits: [
      images(
        '    serve: [onprem-image]\n',
        '    serve: [onprem-image]\n    accepts: { num_inference_steps: { max: 50 } }\n',
      ),
    ],
    says: ['more policies/images.yaml:8 svc-image accepts num_inference_steps up to 50'],
  },
  { edits: [plans('rpm: 120', 'rpm: 200')], says: ['more policies/plans.yaml:21 plan pro: rpm 120 → 200'] },
  { edits: [plans('tpm: 40k', 'tpm: 20k')], says: ['less policies/plans.yaml:15 plan free: tpm 40k → 20k'] },
  {
    edits: [plans('monthly_usd: 20\n', 'monthly_usd: 12.50\n')],
    says: ['less policies/plans.yaml:23 plan pro: monthly_usd 20.00 → 12.50'],
  },
  {
    edits: [plans('[tier:guest, svc-embed]', '[tier:guest, svc-embed, svc-image]')],
    says: ['more policies/plans.yaml:12 plan free gains svc-image'],
  },
  {
    edits: [plans('[tier:guest, svc-embed]', '[tier:guest]')],
    says: ['lost policies/plans.yaml:12 plan free loses svc-embed'],
  },
  {
    edits: [plans('tools: [current_time, calculator]', 'tools: [current_time, docs_search]')],
    says: [
      'lost policies/plans.yaml:13 plan free loses tool calculator',
      'more policies/plans.yaml:13 plan free gains tool docs_search',
    ],
  },
  {
    edits: [plans('per_day: 7200', 'per_day: 1000')],
    says: ['less policies/plans.yaml:8 plan guest-device: per_day 7200 → 1k'],
  },
  {
    edits: [plans('    per_day: 7200\n', '')],
    says: ['more policies/plans.yaml:4 plan guest-device: per_day 7200 → unlimited'],
  },
  {
    edits: [plans('    rpm: 20\n', '    rpm: 20\n    max_concurrent: 4\n')],
    says: ['less policies/plans.yaml:15 plan free: max_concurrent unlimited → 4'],
  },
  {
    edits: [
      plans(
        '    rpm: 20\n',
        '    limits: [{ usd: 0.5, per: day, of: key }, { requests: 7k, per: day }]\n    rpm: 20\n',
      ),
    ],
    says: [
      'less policies/plans.yaml:14 plan free: per_day unlimited → 7k',
      'less policies/plans.yaml:14 plan free: usd per day of key unlimited → 0.50',
    ],
  },
  {
    edits: [plans('    overage: true # served', '    overage: { cap_usd: 5 } # served')],
    says: ['less policies/plans.yaml:24 plan pro: overage always → up to 5.00'],
  },
  {
    edits: [plans('overage: { cap_usd: 100 }', 'overage: true')],
    says: ['more policies/plans.yaml:32 plan team: overage up to 100.00 → always'],
  },
  {
    edits: [plans('    rpm: 600\n', '    rpm: 600\n    commit: complete\n')],
    says: ['other policies/plans.yaml:30 plan team: commit as the model says → complete'],
  },
  {
    edits: [plans('  pro:\n', '  trial: { models: [svc-core], rpm: 5, tpm: 10k, monthly_usd: 0.10 }\n\n  pro:\n')],
    says: ['more policies/plans.yaml:18 plan trial is new, with svc-core'],
  },
  {
    edits: [plans('  team:\n', '  enterprise:\n')],
    says: [
      'lost policies/plans.yaml:18 plan team is gone',
      'more policies/plans.yaml:26 plan enterprise is new, with svc-embed, svc-embed-fast, svc-image, svc-core, svc-pro and svc-ultra-pro',
    ],
  },
  {
    edits: [models('tier: standard', 'tier: premium')],
    says: [
      'lost policies/models.yaml:13 plan pro loses svc-pro, now of tier premium',
      'plumbing policies/models.yaml:13 svc-pro: tier standard → premium',
    ],
  },
  {
    edits: [models('tier: premium', 'tier: guest')],
    says: [
      'more policies/models.yaml:21 plan guest-device gains svc-ultra-pro, now of tier guest',
      'more policies/models.yaml:21 plan free gains svc-ultra-pro, now of tier guest',
      'more policies/models.yaml:21 plan pro gains svc-ultra-pro, now of tier guest',
      'plumbing policies/models.yaml:21 svc-ultra-pro: tier premium → guest',
    ],
  },
  {
    edits: [models('serve: [onprem-pro, cloud-pro]', 'serve: [cloud-pro]')],
    says: ['plumbing policies/models.yaml:14 svc-pro loses pool onprem-pro'],
  },
  {
    edits: [models('serve: [onprem-core, cloud-core]', 'serve: [cloud-core, onprem-core]')],
    says: ['plumbing policies/models.yaml:7 svc-core is now served by cloud-core before onprem-core'],
  },
  {
    edits: [models('serve: [onprem-core, cloud-core]', 'serve: [onprem-core, onprem-pro, cloud-core]')],
    says: ['plumbing policies/models.yaml:7 svc-core gains pool onprem-pro, tried after onprem-core'],
  },
  {
    edits: [
      models('serve: [onprem-core, cloud-core]', 'serve: [{ pool: onprem-pro, share: 5% }, onprem-core, cloud-core]'),
    ],
    says: ['plumbing policies/models.yaml:7 svc-core now sends 5% of its conversations to pool onprem-pro first'],
  },
  {
    edits: [models('output: 2.40', 'output: 3')],
    says: ['less policies/models.yaml:17 price of svc-pro output 2.40 → 3.00 USD per 1M'],
  },
  {
    edits: [models('input: 0.10, output: 0.40', 'input: 0.09, output: 0.40')],
    says: ['more policies/models.yaml:9 price of svc-core input 0.10 → 0.09 USD per 1M'],
  },
  {
    edits: [models('context: 32k', 'context: 16k')],
    says: ['less policies/models.yaml:8 svc-core: context 32k → 16k'],
  },
  {
    edits: [models('    vision: true # image_url parts are accepted\n', '')],
    says: ['lost policies/models.yaml:11 svc-pro no longer takes images'],
  },
  {
    edits: [models('max_output: 16k', 'max_output: 8k')],
    says: ['less policies/models.yaml:24 svc-ultra-pro: max_output 16k → 8k'],
  },
  {
    edits: [
      models('thinking: { default: true, min_max_tokens: 2000 }', 'thinking: { default: false, min_max_tokens: 4k }'),
    ],
    says: [
      'less policies/models.yaml:25 svc-ultra-pro: min_max_tokens 2k → 4k',
      'other policies/models.yaml:25 svc-ultra-pro now thinks only when asked to',
    ],
  },
  {
    edits: [models('    # commit: complete', '    commit: complete')],
    says: ['other policies/models.yaml:26 svc-ultra-pro: commit first_content → complete'],
  },
  {
    edits: [models('svc-auto: svc-core', 'svc-auto: svc-pro')],
    says: ['other policies/models.yaml:30 alias svc-auto now stands for svc-pro'],
  },
  {
    edits: [models('default_model: svc-auto', 'default_model: svc-pro')],
    says: ['other policies/models.yaml:31 a request that names no model is now for svc-pro, no longer for svc-auto'],
  },
  {
    edits: [models('  svc-auto: svc-core\n', '  svc-auto: svc-core\n  svc-best: svc-ultra-pro\n')],
    says: ['more policies/models.yaml:31 alias svc-best is new, for svc-ultra-pro'],
  },
  {
    edits: [images('512x512: 0.01, 1024x1024: 0.02', '512x512: 0.02')],
    says: [
      'lost policies/images.yaml:8 svc-image no longer makes 1024x1024',
      'less policies/images.yaml:8 price of svc-image 512x512 0.01 → 0.02 USD',
    ],
  },
  {
    edits: [images(/[\s\S]+/.exec(shipped['policies/images.yaml'] ?? '')?.[0] ?? '', 'models: {}\n')],
    says: [
      'lost policies/embeddings.yaml:11 model svc-image is gone, which plans pro and team had',
      'plumbing policies/embeddings.yaml:24 pool onprem-image is gone',
    ],
  },
  {
    edits: [embeddings(EMBED_FAST, '')],
    says: [
      'lost policies/embeddings.yaml:4 model svc-embed-fast is gone, which plans guest-device, free, pro and team had',
    ],
  },
  {
    edits: [main('  # trusted_proxies', '  trusted_proxies')],
    says: ['plumbing config.example.yaml:16 10.0.0.0/8 is now trusted as a proxy'],
  },
  {
    edits: [main('[512x512, 1024x1024]', '[1024x1024, 512x512]')],
    says: ['other policies/images.yaml:8 svc-image makes 1024x1024, no longer 512x512, when no size is named'],
  },
  {
    edits: [routing(LONG_INPUT, ''), routing('routes:\n', `routes:\n${LONG_INPUT}\n`)],
    says: ['other policies/routing.yaml:5 route long-input now applies before time-sensitive'],
  },
  {
    edits: [routing('latest, "right now", news,', '"right now", breaking,')],
    says: [
      'other policies/routing.yaml:6 route time-sensitive no longer looks for "latest", "news"',
      'other policies/routing.yaml:6 route time-sensitive now also looks for "breaking"',
    ],
  },
  {
    edits: [routing('over: 8k', 'over: 4k')],
    says: ['other policies/routing.yaml:10 route long-input now needs over 4k tokens, no longer over 8k tokens'],
  },
  {
    edits: [routing('{ input_tokens: { over: 8k } }', '{ input_tokens: { over: 8k }, plan: [team, pro] }')],
    says: ['other policies/routing.yaml:10 route long-input now also needs plan pro or team'],
  },
  {
    edits: [routing('over: 8k } }\n    use: svc-pro', 'over: 8k } }\n    use: svc-ultra-pro')],
    says: ['other policies/routing.yaml:11 route long-input now leads to svc-ultra-pro, no longer to svc-pro'],
  },
  {
    edits: [
      plans('[tier:guest, tier:standard]', '[tier:guest]'),
      plans('models: all', 'models: [tier:guest, svc-ultra-pro]'),
    ],
    says: [
      'lost policies/plans.yaml:19 plan pro loses svc-embed',
      'lost policies/plans.yaml:19 plan pro loses svc-image',
      'lost policies/plans.yaml:19 plan pro loses svc-pro',
      'lost policies/plans.yaml:27 plan team loses svc-embed',
      'lost policies/plans.yaml:27 plan team loses svc-image',
      'lost policies/plans.yaml:27 plan team loses svc-pro',
      'other policies/routing.yaml:5 2 routes can no longer match: time-sensitive, long-input',
    ],
  },
  { edits: [routing(LONG_INPUT, '')], says: ['other policies/routing.yaml:5 route long-input is gone'] },
  {
    edits: [pools('max_concurrent: 50', 'max_concurrent: 20')],
    says: ['less policies/pools.yaml:27 pool cloud-core: max_concurrent 50 → 20'],
  },
  {
    edits: [
      pools('max_usd_per_hour: 20', 'max_usd_per_hour: 40'),
      pools('input: 2, output: 8', 'input: 2, output: 10'),
    ],
    says: [
      'more policies/pools.yaml:38 pool cloud-pro: max_usd_per_hour 20.00 → 40.00',
      'plumbing policies/pools.yaml:37 pool cloud-pro: cost_usd_per_1m.output 8.00 → 10.00',
    ],
  },
  {
    edits: [pools('every: 10s', 'every: 30s'), pools('wait_for_retry_after: 2s', 'wait_for_retry_after: 5s')],
    says: [
      'plumbing policies/pools.yaml:10 pool onprem-core: probe /health every 10s → /health every 30s',
      'plumbing policies/pools.yaml:39 pool cloud-pro: wait_for_retry_after 2s → 5s',
    ],
  },
  {
    edits: [pools(`      - \${ONPREM_CORE_2:-http://10.0.0.12:8000/v1}\n`, '')],
    says: ['plumbing policies/pools.yaml:6 pool onprem-core loses replica http://10.0.0.12:8000/v1'],
  },
  {
    edits: [pools(`    key: \${CLOUD_KEY} # export CLOUD_KEY; a key itself is refused here\n`, '')],
    says: ['plumbing policies/pools.yaml:22 pool cloud-core no longer receives a key'],
  },
  {
    edits: [pools('model: small-chat', 'model: tiny-chat'), pools('site: cloud', 'site: elsewhere')],
    says: [
      'plumbing policies/pools.yaml:23 pool cloud-core: site cloud → elsewhere',
      'plumbing policies/pools.yaml:25 pool cloud-core: model small-chat → tiny-chat',
    ],
  },
  {
    edits: [
      main('idle_timeout: 60s # streams', 'idle_timeout: 30s # streams'),
      pools('    model: Qwen/Qwen3-8B', '    idle_timeout: 60s\n    model: Qwen/Qwen3-8B'),
    ],
    says: [
      'plumbing config.example.yaml:45 pool onprem-embed: idle_timeout 1m → 30s',
      'plumbing config.example.yaml:45 pool onprem-embed-fast: idle_timeout 1m → 30s',
      'plumbing config.example.yaml:45 pool onprem-image: idle_timeout 1m → 30s',
      'plumbing config.example.yaml:45 pool onprem-pro: idle_timeout 1m → 30s',
      'plumbing config.example.yaml:45 pool onprem-ultra: idle_timeout 1m → 30s',
      'plumbing config.example.yaml:45 pool cloud-core: idle_timeout 1m → 30s',
      'plumbing config.example.yaml:45 pool cloud-pro: idle_timeout 1m → 30s',
    ],
  },
  {
    edits: [tools('usd_per_call: 0.001', 'usd_per_call: 0.002'), tools('max_calls: 3', 'max_calls: 2')],
    says: [
      'less policies/tools.yaml:10 tool docs_search: max_calls 3 → 2',
      'less policies/tools.yaml:12 tool docs_search: usd_per_call 0.001 → 0.002',
    ],
  },
  {
    edits: [tools('{ builtin: calculator }', '{ builtin: current_time }')],
    says: ['other policies/tools.yaml:27 tool calculator: builtin calculator → current_time'],
  },
  {
    edits: [
      tools('max_result: 16KB', 'max_result: 32KB'),
      tools('amount: { type: number }', 'amount: { type: string }'),
    ],
    says: [
      'other policies/tools.yaml:17 tool convert_units takes other parameters',
      'plumbing policies/tools.yaml:11 tool docs_search: max_result 16KB → 32KB',
    ],
  },
  {
    edits: [
      tools('  calculator: { builtin: calculator }\n', ''),
      plans('tools: [current_time, calculator]', 'tools: [current_time]'),
      plans(', current_time, calculator]', ', current_time]'),
    ],
    says: ['lost policies/tools.yaml:26 tool calculator is gone, which plans free, pro and team had'],
  },
  {
    edits: [main('default_plan: free', 'default_plan: pro')],
    says: ['other config.example.yaml:22 accounts without a plan of their own are now on plan pro, no longer on free'],
  },
  {
    edits: [
      main('usd_per_day_total: 50', 'usd_per_day_total: 20'),
      main('mint_per_ip_hour: 60', 'mint_per_ip_hour: 30'),
    ],
    says: [
      'less config.example.yaml:27 guests.mint_per_ip_hour 60 → 30',
      'less config.example.yaml:27 guests.mint_per_net_hour 600 → 300',
      'less config.example.yaml:28 guests.usd_per_day_total 50.00 → 20.00',
    ],
  },
  {
    edits: [
      main('  plan: guest-device', '  plan: device'),
      plans(
        'plans:\n',
        'plans:\n  device: { models: [tier:guest], rpm: 10, tpm: 10k, per_day: 100, monthly_usd: 0.50 }\n',
      ),
    ],
    says: [
      'other config.example.yaml:26 guests are now on plan device, no longer on guest-device',
      'more policies/plans.yaml:4 plan device is new, with svc-embed-fast and svc-core',
    ],
  },
  {
    edits: [main(GUESTS.exec(shipped['config.example.yaml'] ?? '')?.[0] ?? '', '')],
    says: ['lost config.example.yaml:1 guests are no longer admitted'],
  },
  {
    edits: [main('body: 32MB', 'body: 5MB'), main('tool_rounds: 8', 'tool_rounds: 12')],
    says: [
      'less config.example.yaml:53 limits.body 32MB → 5MB',
      'more config.example.yaml:56 limits.tool_rounds 8 → 12',
    ],
  },
  {
    edits: [main(`\${LISTEN:-127.0.0.1:8080}`, '127.0.0.1:8081'), main('keep: 90d', 'keep: 30d')],
    says: [
      'plumbing config.example.yaml:9 server.listen 127.0.0.1:8080 → 127.0.0.1:8081 (needs a restart)',
      'plumbing config.example.yaml:34 ledger.keep 90d → 30d',
    ],
  },
  {
    edits: [main(`\${STORE:-embedded:./data}`, 'embedded:./elsewhere')],
    says: ['plumbing config.example.yaml:31 store embedded:./data → embedded:./elsewhere (needs a restart)'],
  },
  {
    edits: [main(`public_url: \${PUBLIC_URL:-http://localhost:8080}`, 'public_url: https://llm.example.com')],
    says: [
      'lost config.example.yaml:11 sign-in tokens must be for https://llm.example.com, no longer http://localhost:8080',
      'plumbing config.example.yaml:11 server.public_url http://localhost:8080 → https://llm.example.com',
      'plumbing config.example.yaml:11 server.console_url http://localhost:8080/console → https://llm.example.com/console',
      'plumbing config.example.yaml:11 errors.docs http://localhost:8080/docs/errors → https://llm.example.com/docs/errors',
      'plumbing config.example.yaml:11 errors.topup http://localhost:8080/console/billing → https://llm.example.com/console/billing',
    ],
  },
  {
    edits: [main('brand: svc', 'brand: acme')],
    says: ['lost config.example.yaml:6 brand svc → acme (needs a restart)'],
  },
  {
    edits: [pools('    max_concurrent: 20\n', '    max_concurrent: 20\n    queue_timeout: 2s\n')],
    says: ['plumbing policies/pools.yaml:37 pool cloud-pro: queue_timeout 500ms → 2s'],
  },
  {
    edits: [pools('    max_concurrent: 20\n', '')],
    says: ['more policies/pools.yaml:31 pool cloud-pro: max_concurrent 20 → unlimited'],
  },
  {
    edits: [
      main('eject: { after: 5, for: 5s }', 'eject: { after: 3, for: 5s }'),
      pools('    site: cloud\n', '    site: cloud\n    eject: { after: 3 }\n'),
    ],
    says: [
      'onprem-embed',
      'onprem-embed-fast',
      'onprem-image',
      'onprem-core',
      'onprem-pro',
      'onprem-ultra',
      'cloud-core',
      'cloud-pro',
    ].map(
      pool =>
        `plumbing ${pool === 'cloud-core' ? 'policies/pools.yaml:24' : 'config.example.yaml:48'} pool ${pool}: eject.after 5 → 3`,
    ),
  },
]

/** Edits that mean nothing. */
export const meaningless: readonly { readonly name: string; readonly edits: readonly Edit[] }[] = [
  {
    name: 'comments',
    edits: [
      plans('# Who may use what', '# Whoever may use what'),
      pools(' # what clients see when everything fails', ''),
    ],
  },
  {
    name: 'units',
    edits: [plans('tpm: 40k', 'tpm: 40000'), plans('tpm: 2M', 'tpm: 2000k'), main('keep: 90d', 'keep: 2160h')],
  },
  {
    name: 'ways to write a price',
    edits: [models('input: 0.10', 'input: 0.1'), plans('monthly_usd: 0.50', 'monthly_usd: 0.5')],
  },
  {
    name: 'the order of the fields of a map',
    edits: [plans('    rpm: 20\n    tpm: 40k\n', '    tpm: 40k\n    rpm: 20\n')],
  },
  {
    name: 'the order of plans',
    edits: [
      plans(
        '  team:\n    models: all\n    tools: all\n    rpm: 600\n    tpm: 2M\n    monthly_usd: 200\n    overage: { cap_usd: 100 } # up to 100 USD past monthly_usd',
        '',
      ),
      plans(
        'plans:\n',
        'plans:\n  team: { models: all, tools: all, rpm: 600, tpm: 2M, monthly_usd: 200, overage: { cap_usd: 100 } }\n',
      ),
    ],
  },
  {
    name: 'the order of what a plan includes',
    edits: [
      plans('[tier:guest, svc-embed]', '[svc-embed, tier:guest]'),
      plans('[current_time, calculator]', '[calculator, current_time]'),
    ],
  },
  {
    name: 'a tier in place of its models',
    edits: [plans('[tier:guest, svc-embed]', '[svc-core, svc-embed-fast, svc-embed]')],
  },
  {
    name: 'all in place of all tools',
    edits: [plans('tools: [docs_search, convert_units, current_time, calculator]', 'tools: all')],
  },
  {
    name: 'defaults that are spelled out',
    edits: [
      models('    context: 32k\n', '    context: 32k\n    vision: false\n    commit: first_content\n'),
      pools('    max_concurrent: 20\n', '    max_concurrent: 20\n    queue_timeout: 500ms\n    connect_timeout: 1s\n'),
      tools('{ builtin: calculator }', '{ builtin: calculator, max_calls: 3, timeout: 10s }'),
    ],
  },
  {
    name: 'defaults that are left out',
    edits: [
      main('  drain_delay: 0s # after SIGTERM, until a balancer has seen that /readyz says 503\n', ''),
      main('  connect_timeout: 1s\n', ''),
      main('  body: 32MB\n', ''),
    ],
  },
  { name: 'an anchor', edits: [plans('models: [tier:guest]', 'models: &basic [tier:guest]')] },
  { name: 'the order of phrases, and their case', edits: [routing('[today, tonight,', '[Tonight, today,')] },
  {
    name: 'the order of replicas',
    edits: [
      pools(`\${ONPREM_CORE_1:-http://10.0.0.11:8000/v1}`, 'http://10.0.0.12:8000/v1/'),
      pools(`\${ONPREM_CORE_2:-http://10.0.0.12:8000/v1}`, 'http://10.0.0.11:8000/v1'),
    ],
  },
  {
    name: 'a value in place of a variable',
    edits: [main(`\${AUTH_URL:-http://localhost:4444}`, 'http://localhost:4444')],
  },
  {
    name: 'the order of the parameters of a tool',
    edits: [
      tools('        to: { type: string }\n', ''),
      tools('      properties:\n', '      properties:\n        to: { type: string }\n'),
    ],
  },
]
