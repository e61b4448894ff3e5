import { expect, it } from 'vitest'
import { Models } from '../sdk/support/models.ts'
import { playGauges } from './model/gauges.ts'
import { oblige } from './model/obliging.ts'
import { makeSite, runAgent, type Setup } from './support/agent.ts'
import { clientSuite } from './support/installed.ts'
import { MODEL, startRig } from './support/rig.ts'

/** A tester of servers: it asks for what is documented of each dialect, and says what was not as it should be. */
const llmprobe: Setup = {
  dialect: 'chat',
  // With no effort of its own: open reasoning comes in the events that OpenAI publishes, of which its schema has others.
  command: ({ baseURL, key, model }) =>
    `llmprobe ${baseURL} -k ${key} -m ${model} --json --no-save --no-bench --reasoning default`.split(' ') as [string],
}

clientSuite({ registry: 'npm', name: 'llmprobe' }, () => {
  it('finds nothing wrong in any dialect but that Messages refuse to continue an answer', async () => {
    const { conformance } = await probe()
    const { bySurface, results, warnings, inconclusive } = conformance
    const failed = results.flatMap(({ failures }) => failures.filter(({ severity }) => severity === 'MUST'))

    expect(
      Object.fromEntries(bySurface.map(({ surface, passed, total }) => [surface, `${passed} of ${total}`])),
    ).toEqual({
      models: '4 of 4',
      chat: '67 of 67',
      responses: '65 of 65',
      messages: '65 of 66',
      'count-tokens': '3 of 3',
    })
    // Only a backend that speaks Messages can continue an answer.
    expect(failed.map(({ id }) => id)).toEqual(['messages-prefill-status'])
    // The backend has no cache. A count that is not within a tenth of the usage would stand here.
    expect(warnings.map(({ id }) => id)).toEqual(['messages-cache-write', 'messages-cache-read'])
    // The model is one for chats.
    expect(inconclusive.map(({ id }) => id)).toEqual(['embeddings-basic'])
  })
})

interface Found {
  readonly conformance: {
    readonly bySurface: readonly { readonly surface: string; readonly passed: number; readonly total: number }[]
    readonly results: readonly { readonly failures: readonly { readonly id: string; readonly severity: string }[] }[]
    readonly warnings: readonly { readonly id: string }[]
    readonly inconclusive: readonly { readonly id: string }[]
  }
}

/** One run against a gateway whose backend speaks chats. */
async function probe(): Promise<Found> {
  const models = new Models()
  await models.start()
  const rig = await startRig('translated', playGauges(), 'errors: { form: openai }')
  rig.backend.always(exchange =>
    exchange.seen.path === '/v1/chat/completions' ? oblige(exchange) : models.answer(exchange),
  )
  const { work, home, remove } = makeSite()
  try {
    const { baseURL, key } = rig
    const { output, complaints } = await runAgent(llmprobe, { work, home, baseURL, key, model: MODEL, task: '' })
    if (!output.startsWith('{')) throw new Error(`${output}\n${complaints}`)
    return JSON.parse(output)
  } finally {
    await rig.close()
    await models.stop()
    await remove()
  }
}
