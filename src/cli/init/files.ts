import type { PinnedPackage } from './pinned-package.ts'
import { repositoryFiles } from './repository-files.ts'

/** Where the one pool of a new configuration is. */
export interface Backend {
  /** The path up to /v1. */
  readonly url: string
  readonly model: string
  /** Tokens of prompt and answer; 32k where it is unknown. */
  readonly context?: number
}

/** The files of a new configuration by their names; those of a repository where `pinned` says what its CI runs. `schemas` are texts by name, and come along for editors: a path into an installation would be another one on every machine. */
export function initFiles(
  brand: string,
  backend: Backend,
  schemas: Readonly<Record<SchemaName, string>>,
  pinned: PinnedPackage | undefined,
): Readonly<Record<string, string | Uint8Array>> {
  const files = {
    'config.yaml': configYaml(brand, backend),
    'policies/plans.yaml': PLANS,
    'policies/models.yaml': modelsYaml(brand, backend),
    'policies/pools.yaml': poolsYaml(backend),
    'policies/tests/plans.test.yaml': testsYaml(brand),
  }
  const described = Object.entries(files).map(([file, text]) => [file, modelineOf(file) + text])
  const copies = Object.entries(schemas).map(([name, text]) => [`schema/${name}.schema.json`, text])
  return {
    ...Object.fromEntries([...described, ...copies]),
    ...(pinned && repositoryFiles(pinned)),
    [IGNORE_FILE]: pinned ? IGNORED + OF_CHECKS : IGNORED,
  }
}

export type SchemaName = 'config' | 'policy' | 'tests'

/** The file that lists what git leaves alone. */
export const IGNORE_FILE = '.gitignore'

function modelineOf(file: string): string {
  const steps = file.split('/')
  const name: SchemaName = steps.length === 1 ? 'config' : steps.length === 2 ? 'policy' : 'tests'
  return `# yaml-language-server: $schema=${
    steps
      .slice(1)
      .map(() => '../')
      .join('') || './'
  }schema/${name}.schema.json\n`
}

const testsYaml = (
  brand: string,
): string => `# svcctl test: no network, no clock, no store; every input is in this file.
given:
  now: 2026-11-21T10:00:00Z

matrix: # who may use what, at a glance
  plans: [free, pro]
  ${brand}-core: [ok, ok]

cases:
  - name: a request that names no model is answered by ${brand}-core
    plan: free
    expect: { status: 200, model: ${brand}-core, served_by: main }
`

const IGNORED = `# The gateway's data: keys, money, the admin token. Never commit it.
/data/
admin.token
*.mdb
guest-secret
.env
`

const OF_CHECKS = `
# Written by the checks of a change.
.svcctl/
.svcctl.tgz
plan.md
policies.sarif
.npm/
`

/** llama.cpp likes the port that clients of a gateway usually have. */
const listenFor = ({ url }: Backend): string =>
  /^http:\/\/(127\.0\.0\.1|localhost):8080\//.test(url) ? '127.0.0.1:8081' : '127.0.0.1:8080'

const configYaml = (
  brand: string,
  backend: Backend,
): string => `# One deployment. \`svcctl doc\` says what else may stand here; \${NAME:-default} takes a value from the environment.
version: 1
brand: ${brand} # keys begin with ${brand}_, headers with x-${brand}-

server:
  listen: \${LISTEN:-${listenFor(backend)}} # where clients connect
  admin: \${ADMIN:-127.0.0.1:9090} # where svcctl connects: never expose it
  # public_url: https://llm.example.com # the address clients call

store: embedded:./data # keys, counters and the ledger; for many gateways redis://:\${REDIS_PASSWORD}@host:6379/0

include: [policies/*.yaml]
`

const PLANS = `# Which models an account may use, how fast, for how much. Limits belong to the account, unless \`of\` says otherwise.
plans:
  free:
    models: [tier:standard]
    rpm: 20 # requests in every 60 s
    tpm: 40k # tokens in every 60 s
    monthly_usd: 1 # at the prices of the models

  pro:
    models: all
    rpm: 120
    tpm: 400k
    monthly_usd: 20
    # overage: true # serve and record past monthly_usd
`

/** A small context leaves half of it to the prompt; a model answers with up to 4000 tokens otherwise. */
const capOf = (context: number): string =>
  context < 8000 ? `\n    max_output: ${Math.floor(context / 2)} # tokens of an answer` : ''

const modelsYaml = (
  brand: string,
  { context }: Backend,
): string => `# The names that clients use. They stay the same when the pools behind them (serve) change.
models:
  ${brand}-core:
    kind: chat
    tier: standard # plans include it as tier:standard
    serve: [main] # pools, in the order they are tried
    context: ${context ?? '32k'} # tokens of prompt and completion${context === undefined ? '' : capOf(context)}
    usd_per_1m: { input: 0.10, output: 0.40 } # what your clients pay

aliases:
  ${brand}-auto: ${brand}-core
default_model: ${brand}-auto # used when a request names none
`

const poolsYaml = ({ url, model }: Backend): string => `# The backends. Replicas of a pool are interchangeable.
pools:
  main:
    site: on-premises # what clients see of it
    replicas:
      - ${JSON.stringify(url)}
    model: ${JSON.stringify(model)} # the name the backend knows
    # key: \${BACKEND_KEY} # export it first; a key itself is refused here
`
