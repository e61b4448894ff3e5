import { expect, it } from 'vitest'
import type { PoolSection } from '../../src/config/file.ts'
import { mannersOf } from '../../src/config/resolve/pool-manners.ts'
import { adaptationsOf } from '../../src/policy/adapted.ts'
import type { Pool } from '../../src/policy/config.ts'
import type { ChatAsk } from '../../src/policy/facts.ts'

const OPENAI_CAP = 'https://platform.openai.com/docs/api-reference/chat/create#chat-create-max_tokens'
const REASONING = 'https://learn.microsoft.com/azure/ai-foundry/openai/how-to/reasoning'

const poolOf = (section: Parameters<typeof mannersOf>[0]): Pool => ({
  ...{ name: 'p', at: { file: 'pools.yaml', line: 1, column: 1 }, fields: {}, site: 'x', replicas: section.replicas },
  ...{
    model: section.model,
    speaks: ['chat'],
    providerTools: [],
    passes: [],
    fetches: false,
    caches: 'account',
    slotsOver: 'gateway',
  },
  ...mannersOf(section),
})

const ask: ChatAsk = {
  ...{ kind: 'chat', stream: false, messages: 1, images: 0, textBytes: 10, tools: 0, choices: 1 },
  cap: { field: 'max_tokens', tokens: 9 },
  optional: ['temperature', 'seed'],
  developer: true,
}

it('each change for a provider is listed with its source', () => {
  const pool = poolOf({ model: 'gpt-5.2', replicas: ['https://api.openai.com/v1'] })

  expect(adaptationsOf(pool, ask)).toEqual([
    `without temperature [${REASONING}]`,
    `max_tokens as max_completion_tokens [${OPENAI_CAP}]`,
  ])
})

it('facts from the files have no source', () => {
  const provider: PoolSection['provider'] = { drops: ['seed'], developer_role: false }
  const pool = poolOf({ model: 'm', replicas: ['http://10.0.0.1/v1'], provider })

  expect(adaptationsOf(pool, ask)).toEqual(['without seed', 'developer as system'])
})

it('a model’s own name tells the cap where no row does', () => {
  const pool = poolOf({ model: 'gpt-5.2', replicas: ['http://10.0.0.1/v1'] })

  expect(adaptationsOf(pool, ask)).toEqual(['max_tokens as max_completion_tokens [BerriAI/litellm#13381]'])
})

it('a request that needs no change has none', () => {
  const pool = poolOf({ model: 'm', replicas: ['http://10.0.0.1/v1'] })

  expect(adaptationsOf(pool, ask)).toEqual([])
})
