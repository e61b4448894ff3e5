import { expect, it } from 'vitest'
import { variable } from './imported.ts'
import { above, entry, imported } from './proxies.ts'

const one = async (model: string, more = '', options: readonly string[] = []) => {
  const ran = await imported(`model_list:${entry('m', model, more)}`, options)
  return { ...ran, pool: ran.yaml.pools?.m }
}
const base = (url: string) => `, api_base: "${url}"`

it('a header that cannot be sent is left out with a comment at its pool', async () => {
  const { code, pool, stdout } = await one(
    'openai/m',
    ', extra_headers: { "AI-Resource Group": g, Authorization: "Bearer x", Host: h, x-a: os.environ/A, X-A: b, list: [c] }',
  )

  expect({ code, headers: pool.headers }).toEqual({ code: 0, headers: { 'x-a': variable('A') } })
  const told = above(stdout, 'm').join('\n')
  const at = 'Not imported: model_list[0].litellm_params.extra_headers'
  expect(above(stdout.slice(stdout.indexOf('pools:')), 'm')).toEqual([
    `# ${at}.list: it is not a text`,
    `# ${at}.AI-Resource Group: it is not a header name, which has letters, digits and dashes`,
    `# ${at}.Authorization: it has a key: use key of the pool, and auth if it is not a bearer token`,
    `# ${at}.Host: the gateway sends its own`,
    `# ${at}.X-A: it appears twice: header names ignore case`,
  ])
  expect(told).not.toContain('Bearer x')
})

it('what is wrong with what was written is shown although no variable is set', async () => {
  const many = Array.from({ length: 21 }, (_, at) => `x-${at}: os.environ/V${at}`).join(', ')
  const { code, stderr } = await one('openai/m', `, api_base: os.environ/B, extra_headers: { ${many} }`)

  expect(code).toBe(1)
  expect(stderr).toContain('✗ the converted configuration is not valid yet')
  expect(stderr).toContain('bad-value')
  expect(stderr).not.toContain('is not set')
})

it('a model has what its credential says, and its own parameters go before that', async () => {
  const { yaml, stderr } = await imported(`model_list:${entry('a', 'azure/a', ', litellm_credential_name: az')}
${entry('b', 'azure/b', ', litellm_credential_name: az, api_key: os.environ/OWN')}${entry('c', 'openai/c', ', litellm_credential_name: gone')}
credential_list:
  - credential_name: az
    credential_values: { api_key: os.environ/AZ, api_base: os.environ/AZ_BASE, api_version: "2023-05-15" }
    credential_info: { description: of all }
  - { credential_name: spare, credential_values: { api_key: secret-of-spare }, credential_info: {} }`)

  const query = { 'api-version': '2023-05-15' }
  expect(yaml.pools).toMatchObject({
    a: { replicas: [`${variable('AZ_BASE')}/openai/deployments/a`], key: variable('AZ'), query },
    b: { replicas: [`${variable('AZ_BASE')}/openai/deployments/b`], key: variable('OWN'), query },
  })
  expect([...stderr.matchAll(/^▲ (.*?): .*$/gm)].map(([, path]) => path).sort()).toEqual([
    'credential_list[0].credential_info',
    'credential_list[1]',
    'model_list[2].litellm_params.litellm_credential_name',
  ])
})

it('models of Hugging Face are asked where LiteLLM asks them', async () => {
  const own = await one('huggingface/o/m', base('http://0.0.0.0:8001'))
  const whole = await one('huggingface/o/m', base('http://0.0.0.0:8001/v1/chat/completions'))
  const shared = await one('huggingface/together/o/m')
  const embedding = await one('huggingface/o/bge-m')

  expect(own.pool).toMatchObject({ replicas: ['http://0.0.0.0:8001/v1'], model: 'o/m' })
  expect(own.pool.key).toBeUndefined()
  expect(whole.pool.replicas).toEqual(['http://0.0.0.0:8001/v1'])
  expect(shared.pool).toMatchObject({ replicas: ['https://router.huggingface.co/v1'], model: 'o/m:together' })
  expect(embedding).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('Hugging Face answers only chats'),
  })
})

it('a text that is no key needs no variable', async () => {
  for (const text of ['none', 'fake-key', 'my-fake-key', 'sk-anything', 'EMPTY']) {
    const { pool, stdout, stderr } = await one('openai/m', `${base('http://10.0.0.1:8000')}, api_key: ${text}`)

    expect(pool.key).toBeUndefined()
    expect(stdout).toContain(`# \`${text}\` means no key, so none is sent`)
    expect(stderr).not.toContain('Export')
  }
  const provider = await one('openai/m', ', api_key: none')
  const real = await one('openai/m', `${base('http://10.0.0.1:8000')}, api_key: sk-1234`)
  expect([provider.pool.key, real.pool.key]).toEqual([variable('M_API_KEY'), variable('M_API_KEY')])
})

it('Azure without versions has one path, and a version may be a variable', async () => {
  const old = await one('azure/d', `${base('https://r.openai.azure.com/')}, api_version: os.environ/V`)
  const plain = await one('azure/d', `${base('https://r.openai.azure.com/openai/v1/')}, api_version: v1`)
  const preview = await one('azure/d', `${base('https://r.openai.azure.com')}, api_version: preview`)

  expect(old.pool).toMatchObject({
    replicas: ['https://r.openai.azure.com/openai/deployments/d'],
    query: { 'api-version': variable('V') },
  })
  expect(old.code).toBe(0)
  expect(plain.pool.replicas).toEqual(['https://r.openai.azure.com/openai/v1'])
  expect(plain.pool.query).toBeUndefined()
  expect(preview.pool).toMatchObject({
    replicas: ['https://r.openai.azure.com/openai/v1'],
    query: { 'api-version': 'preview' },
  })
})

it('a provider with a form of its own is not asked in that of OpenAI where the file says an address', async () => {
  for (const model of ['bedrock/m', 'azure_ai/m', 'vertex_ai/m', 'text-completion-openai/m'])
    expect(await one(model, base('http://10.0.0.1:8000'))).toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: expect.stringContaining('its provider has its own format or signature'),
    })
  const known = await one('xinference/bge-m', base('http://0.0.0.0:9997/v1'))
  expect(known.stdout).toContain('model: bge-m')
})

it('each organization of a list is a backend', async () => {
  const { yaml } = await one('openai/m', ', organization: [org-1, os.environ/ORG]')

  expect(Object.values(yaml.pools)).toMatchObject([
    { headers: { 'OpenAI-Organization': variable('M_OPENAI_ORGANIZATION') } },
    { headers: { 'OpenAI-Organization': variable('ORG') } },
  ])
})

it('backends that LiteLLM spreads requests among, and that are an order here, are told at their model', async () => {
  const keys = (orders: readonly string[]) =>
    `model_list:${orders.map((order, at) => entry('m', 'openai/m', `, api_key: os.environ/K${at}${order}`)).join('')}`
  const both = await imported(keys(['', '']))
  const ordered = await imported(keys([', order: 1', ', order: 2']))

  expect(above(both.stdout, 'm')).toContain(
    '# Not imported: model_list.m: LiteLLM spreads requests over its 2 pools; here the first in `serve` gets all of them until it fails',
  )
  expect(ordered.stdout).not.toContain('spreads requests')
})

it('replicas are of one order, and have the room of all of them', async () => {
  const { yaml } = await imported(
    `model_list:${[1, 1, 2]
      .map((order, at) =>
        entry('m', 'vllm/m', `${base(`http://10.0.0.${at}/v1`)}, order: ${order}, max_parallel_requests: 8`),
      )
      .join('')}`,
  )

  expect(yaml.pools).toMatchObject({
    m: { replicas: ['http://10.0.0.0/v1', 'http://10.0.0.1/v1'], max_concurrent: 16 },
    'm-2': { replicas: ['http://10.0.0.2/v1'], max_concurrent: 8 },
  })
})

it('prices of the cache are those of the file, and a price of answers that is not there is told', async () => {
  const { yaml } = await imported(`model_list:
  - model_name: m
    litellm_params: { model: openai/m, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
    model_info: { cache_read_input_token_cost: 1e-7, cache_creation_input_token_cost: 0.00000125 }`)
  const { stdout } = await one('openai/m', ', input_cost_per_token: 0.000001')

  expect(yaml.models.m.usd_per_1m).toEqual({ input: 1, output: 2, cached_input: 0.1, cache_write: 1.25 })
  expect(stdout).toContain('# LiteLLM has the price of answers in its own list: add it, or they cost nothing.')
})

it('a model whose provider is not known is asked for by its whole name, and that is told', async () => {
  const { pool, stdout } = await one('cloudy/owner/m', base('https://api.example.com/v1'))
  const none = await one('azure/', base('https://r.openai.azure.com'))
  const lost = await one('cloudy/owner/m')

  expect(pool).toMatchObject({ replicas: ['https://api.example.com/v1'], model: 'cloudy/owner/m' })
  expect(stdout).toContain('# Requests name it `cloudy/owner/m`: write `owner/m` if `cloudy` is a provider.')
  expect(none.stderr).toContain('▲ model_list[0].litellm_params.model: it names no model')
  expect(lost.stderr).toContain('no pool can call `cloudy/owner/m`: its provider is unknown, and it has no api_base')
})

it('the kind of a model is read from what clients call it where the backend has a name of its own', async () => {
  const more = base('https://r.openai.azure.com')
  const { yaml, stderr } = await imported(`model_list:${entry('text-embedding-ada-002', 'azure/ours', more)}
${entry('dall-e-3', 'azure/ours', more)}${entry('whisper', 'azure/ours', more)}${entry('m', 'azure/ours', more)}
    model_info: { base_model: azure/text-embedding-3-small }`)

  const kinds = Object.values<{ kind: string }>(yaml.models).map(({ kind }) => kind)
  expect(kinds).toEqual(['embedding', 'image', 'embedding'])
  expect(stderr).toContain('▲ model_list[2].litellm_params.model: `azure/ours` is not a model for chats')
  expect(stderr.match(/base_model/g)).toHaveLength(1)
})

it('a price that may not be written is left out with a comment', async () => {
  const { code, yaml, stderr } = await one('openai/m', ', input_cost_per_token: 0.0004, output_cost_per_token: 0.00052')

  expect({ code, price: yaml.models.m.usd_per_1m }).toEqual({ code: 0, price: { input: 400, output: 0 } })
  expect([...stderr.matchAll(/^▲ (.*)$/gm)].map(([, told]) => told)).toEqual([
    'model_list[0].litellm_params.output_cost_per_token: a price is at most 500 US dollars per million tokens',
  ])
})

it('the name that a client is to have for a backend is a header', async () => {
  const { pool } = await one('anthropic/m', ', custom_user_agent: os.environ/AGENT')

  expect(pool.headers).toEqual({ 'User-Agent': variable('AGENT') })
})
