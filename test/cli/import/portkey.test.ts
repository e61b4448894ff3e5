import { describe, expect, it } from 'vitest'
import { importedFrom, itIsWhole, variable } from './imported.ts'

const source = (config: unknown) => ({ file: 'chat.json', text: JSON.stringify(config, undefined, '\t') })
const imported = (config: unknown, options: readonly string[] = []) => importedFrom('portkey', source(config), options)

/** A condition of a config. It is made from pairs, as an object with `then` looks like a promise. */
const when = (query: object, to: string) =>
  Object.fromEntries<unknown>([
    ['query', query],
    ['then', to],
  ])

const openai = { provider: 'openai', api_key: 'sk-1234', override_params: { model: 'gpt-4o' } }
const claude = { virtual_key: 'anthropic-prod-4f', override_params: { model: 'claude-x', max_tokens: 64 } }

/** One of each form that configs take. */
const CONFIGS: Readonly<Record<string, unknown>> = {
  'one target': openai,
  'a fallback with settings of everything': {
    strategy: { mode: 'fallback', on_status_codes: [429] },
    retry: { attempts: 3 },
    cache: { mode: 'semantic' },
    request_timeout: 1500,
    targets: [
      { ...openai, weight: 0.5, input_guardrails: ['pg-a'], unheard_of: 1, openai_organization: 'secret-of-org' },
      { ...claude, requestTimeout: 30_000 },
    ],
  },
  'a balance with a fallback in it': {
    strategy: { mode: 'loadbalance' },
    targets: [openai, { strategy: { mode: 'fallback' }, targets: [claude, { provider: '@groq-a/llama' }] }],
  },
  'targets that no pool reaches': {
    targets: [openai, { provider: 'bedrock', aws_region: 'x' }, { passthrough: true }],
  },
  'models of the catalog': {
    strategy: {
      mode: 'conditional',
      default: 'b',
      conditions: [when({ 'metadata.plan': { $eq: 'x' } }, 'a')],
    },
    targets: [
      { name: 'a', override_params: { model: '@openai-a/gpt-4o', temperature: 1 } },
      { name: 'b', override_params: { model: '@azure-b/gpt-4o' } },
    ],
  },
  'Azure, Ollama and a host': {
    targets: [
      {
        provider: 'azure-openai',
        api_key: 'sk-1234',
        resourceName: 'r',
        deploymentId: 'd',
        apiVersion: '2024-10-21',
        overrideParams: { model: 'gpt-4o' },
      },
      { provider: 'ollama', custom_host: 'http://127.0.0.1:11434', override_params: { model: 'llama3' } },
      {
        provider: 'openai',
        api_key: 'sk-1234',
        custom_host: 'http://10.0.0.1:8000/v1',
        override_params: { model: 'q' },
      },
    ],
  },
}

describe.each(Object.entries(CONFIGS))('of %s', (_, config) => {
  itIsWhole('portkey', source(config))
})

it('targets are pools in their order, nested ones at their place, and the model is named by the file', async () => {
  const { yaml } = await imported(CONFIGS['a balance with a fallback in it'])

  expect(yaml.models.chat).toMatchObject({ kind: 'chat', serve: ['chat', 'chat-2', 'chat-3'] })
  expect(Object.values(yaml.pools)).toMatchObject([
    { replicas: ['https://api.openai.com/v1'], model: 'gpt-4o', key: variable('OPENAI_API_KEY') },
    { replicas: ['https://api.anthropic.com/v1'], speaks: ['messages'], key: variable('ANTHROPIC_PROD_4F_API_KEY') },
    { replicas: ['https://api.groq.com/openai/v1'], model: 'llama', key: variable('GROQ_A_API_KEY') },
  ])
})

it('a timeout is that of the target, or of the config around it', async () => {
  const { yaml, stdout } = await imported(CONFIGS['a fallback with settings of everything'])

  expect([yaml.pools.chat.answer_timeout, yaml.pools['chat-2'].answer_timeout]).toEqual(['1500ms', '30s'])
  expect(stdout).toContain('# Not imported: targets[0].unheard_of: the import does not know this setting')
  expect(stdout).toContain('# Not imported: cache: answers are not cached')
})

it('a deployment of Azure is asked at its own path, and a host is taken as it is', async () => {
  const { yaml } = await imported(CONFIGS['Azure, Ollama and a host'])

  expect(Object.values(yaml.pools)).toMatchObject([
    { replicas: ['https://r.openai.azure.com/openai/deployments/d'], query: { 'api-version': '2024-10-21' } },
    { replicas: ['http://127.0.0.1:11434/v1'], model: 'llama3' },
    { replicas: ['http://10.0.0.1:8000/v1'], model: 'q' },
  ])
})

it('a condition on the model is an alias, and another one is left to a route', async () => {
  const { yaml, stderr } = await imported({
    strategy: {
      mode: 'conditional',
      conditions: [
        when({ 'params.model': { $in: ['fast', 'quick'] } }, 'small'),
        when({ 'params.model': { $eq: 'big' }, 'metadata.plan': { $eq: 'pro' } }, 'large'),
      ],
      default: 'large',
    },
    targets: [
      { ...openai, name: 'small' },
      { ...claude, name: 'large' },
    ],
  })

  expect(yaml.aliases).toEqual({ fast: 'small', quick: 'small' })
  expect(yaml.default_model).toBe('large')
  expect(stderr).toContain('▲ strategy.conditions[1].query: use a route on an alias')
})

it('targets without a model answer with those that clients name', async () => {
  const config = { targets: [{ provider: 'openai', api_key: 'sk-1234' }, claude] }
  const { yaml } = await imported(config, ['--names', 'gpt-4o,gpt-4o-mini'])
  const none = await imported({ provider: 'openai', api_key: 'sk-1234' })

  expect(yaml.models['gpt-4o-mini'].serve.map((name: string) => yaml.pools[name].model)).toEqual([
    'gpt-4o-mini',
    'claude-x',
  ])
  expect(none).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('with --names') })
  expect(none.stderr).not.toContain('sk-1234')
})

it("an answer of Portkey's API has the config and its name", async () => {
  const { yaml } = await imported({ success: true, data: { slug: 'pc-chat-12', config: JSON.stringify(openai) } })

  expect(Object.keys(yaml.models)).toEqual(['pc-chat-12'])
})

it('a file that is no JSON is not quoted', async () => {
  const { code, stderr } = await importedFrom('portkey', { file: 'chat.json', text: '{ "api_key": "sk-1234' })

  expect(code).toBe(1)
  expect(stderr).toMatch(/^✗ \S+ is not JSON\n$/)
})

it('a cap of answers is that of the model where each target has one, and reported elsewhere', async () => {
  const all = await imported({ targets: [claude, { ...openai, override_params: { model: 'm', max_tokens: 1000 } }] })
  const around = await imported({ override_params: { max_completion_tokens: 900 }, targets: [openai] })
  const one = await imported({ targets: [openai, claude] })

  expect([all, around, one].map(({ yaml }) => yaml.models.chat.max_output)).toEqual([64, 900, undefined])
  expect(all.stderr.match(/^▲ .*$/gm)).toEqual([
    '▲ targets.max_output: it is 64 and 1000 of its backends: a model has one, so the smallest is used',
  ])
  expect(around.stderr).not.toContain('▲')
  expect(one.stderr.match(/^▲ .*$/gm)).toEqual([
    '▲ targets[1].override_params.max_tokens: a model has one max_output, and other targets have none',
  ])
})

it('what a config around targets has overridden is reported', async () => {
  const { stderr } = await imported({ override_params: { model: 'm', temperature: 0, top_k: 1 }, targets: [openai] })

  expect(stderr).toContain('▲ override_params.temperature: clients choose what a request asks for')
  expect(stderr).toContain('▲ override_params.top_k: ')
})

it('a deployment of Azure says its model where the target does not', async () => {
  const azure = { provider: 'azure-openai', api_key: 'sk-1234', resource_name: 'r', api_version: '2024-10-21' }
  const named = { ...azure, deployment_id: 'ours', azure_model_name: 'text-embedding-3-small' }
  const { code, yaml } = await imported({ targets: [{ ...azure, deployment_id: 'd' }] })
  const kind = await imported({ targets: [named] })

  expect({ code, pool: yaml.pools.chat }).toMatchObject({
    ...{ code: 0, pool: { replicas: ['https://r.openai.azure.com/openai/deployments/d'], model: 'd' } },
  })
  expect(kind.yaml.models.chat.kind).toBe('embedding')
  expect(kind.stderr).not.toContain('azure_model_name')
})
