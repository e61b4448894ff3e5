import { afterAll, beforeAll, describe, it, onTestFinished } from 'vitest'
import { choicesOf } from '../cli/doctor/site.ts'
import { openTurns } from '../cli/in-turn.ts'
import { compileProgram } from '../cli/program.ts'
import { type Backend, hello, startBackend } from '../support/backend.ts'
import { describeRedis, useRedis } from '../support/redis/redis.ts'
import { Reader } from './reader.ts'

const program = compileProgram()
const turns = openTurns(program)
afterAll(() => turns.end())

describe('a reader of one page after another', () => {
  let backend: Backend
  let reader: Reader

  beforeAll(async () => {
    backend = await startBackend()
    const choices = choicesOf({ made: 2, counted: 2 })
    backend.always(exchange => (exchange.seen.body.n === undefined ? hello : choices)(exchange))
    reader = await Reader.arrive({ main: program.main, ports: { 8000: backend.port }, turns })
  })
  afterAll(async () => {
    await reader.leave()
    await backend.close()
  })

  it.each([
    'tutorial',
    'how-to/keys',
    'how-to/refused',
    'how-to/change',
    'how-to/bill',
    'how-to/credit',
    'how-to/upgrade',
    'how-to/backends',
    'how-to/backup',
    'from-litellm',
    'from-portkey',
    'from-bifrost',
  ])('finds every command of docs/%s.md to run, and to print what the page shows', page =>
    reader.read(`docs/${page}.md`),
  )
})

type Ports = Parameters<typeof Reader.arrive>[0]['ports']

/** A reader of this test, who goes with it. */
async function readerWith(backends: readonly Backend[], ports: Ports): Promise<Reader> {
  const reader = await Reader.arrive({ main: program.main, ports, turns })
  onTestFinished(async () => {
    await reader.leave()
    await Promise.all(backends.map(backend => backend.close()))
  })
  return reader
}

/** A reader who has set a gateway up and started it; a second backend is there for pages that name one. */
async function readerBesideGateway(): Promise<Reader> {
  const [first, second] = await Promise.all([startBackend(), startBackend()])
  const reader = await readerWith([first, second], { 8000: first.port, 8001: second.port })
  await reader.run('svcctl init my-gateway --backend http://127.0.0.1:8000/v1\ncd my-gateway')
  await reader.run('svcctl serve')
  return reader
}

it.each(['monitoring', 'notices'])(
  'the commands of docs/how-to/%s.md run beside a gateway, and print what the page shows',
  async page => {
    const reader = await readerBesideGateway()
    await reader.read(`docs/how-to/${page}.md`)
  },
)

it('the commands of docs/how-to/prompt-caches.md run beside a gateway, and print what the page shows', async () => {
  const reader = await readerBesideGateway()
  await reader.run('svcctl keys mint --plan free --account ada@example.com')
  await reader.read('docs/how-to/prompt-caches.md')
})

const DAY_S = 86_400
const COST = 'cost_usd_per_1m: { input: 2, output: 8 }'
const PROVIDERS = `pools:
  openai: { site: cloud, provider: openai, replicas: ["http://127.0.0.1:8000/v1"], model: gpt-5-mini, ${COST} }
  cloud: { site: cloud, replicas: ["http://127.0.0.1:8001/v1"], model: claude-sonnet-4-6, ${COST} }`

it('the commands of docs/how-to/reconcile.md run beside a gateway with the bills of two providers', async () => {
  const reader = await readerBesideGateway()
  const day = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S - DAY_S
  const [from, to] = [day, day + DAY_S].map(second => new Date(second * 1000).toISOString())
  await reader.run(`cat > policies/providers.yaml <<'END'
${PROVIDERS}
END
cat > costs.csv <<'END'
start_time,end_time,amount_value,amount_currency,quantity,quantity_unit,line_item,project_id
${day},${day + DAY_S},0.002,usd,1000,tokens,"gpt-5-mini, input",proj_gateway
END
cat > focus.csv <<'END'
BilledCost,BillingCurrency,ChargeCategory,ChargeDescription,ChargePeriodStart,ChargePeriodEnd,ConsumedQuantity,ConsumedUnit,ServiceCategory,SkuMeter,ResourceName,SubAccountId
0.008,USD,Usage,Output tokens,${from},${to},0.001,1M tokens,AI and Machine Learning,output,Claude4.6Sonnet,1
END
svcctl reload`)

  await reader.read('docs/how-to/reconcile.md')
})

it('the commands of docs/how-to/policies-in-git.md run in an empty folder, and print what the page shows', async () => {
  const reader = await readerWith([], {})
  // A release's files in the folder of its reader; init reads only the hash of the package.
  await reader.run('echo a package > svc-gateway-0.2.0.tgz\nsha256sum svc-gateway-0.2.0.tgz > SHA256SUMS')
  await reader.read('docs/how-to/policies-in-git.md')
})

describeRedis('a reader with a Redis', () => {
  const redis = useRedis({ durable: true })

  it.each(['fleet', 'secrets'])(
    'finds every command of docs/how-to/%s.md to run, and to print what the page shows',
    async page => {
      const backend = await startBackend()
      const reader = await readerWith([backend], { 6379: redis().port, 8000: backend.port })
      await reader.read(`docs/how-to/${page}.md`)
    },
  )
})
