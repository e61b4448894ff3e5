import { describe, expect, it } from 'vitest'
import { itIsWhole, variable } from './imported.ts'
import { entry, imported } from './proxies.ts'

const one = async (model: string, more = '') => {
  const ran = await imported(`model_list:${entry('m', model, more)}`)
  return { ...ran, pool: ran.yaml.pools?.m }
}
const HOST = 'https://r.openai.azure.com'
const base = (url: string) => `, api_base: "${url}"`

describe('of the forms that LiteLLM documents for Azure', () => {
  const url = `${HOST}/openai/deployments/o1/chat/completions?api-version=2025-01-01-preview`
  const list = [
    entry('a', 'azure/o_series/ours', base(url)),
    entry('b', 'azure/gpt5_series/ours', `${base(HOST)}, api_version: "2024-10-21"`),
    entry('c', 'azure/responses/ours', `${base(HOST)}, api_version: "2025-04-01-preview"`),
    entry('d', 'openai/responses/o1-pro'),
  ]
  itIsWhole('litellm', { file: 'litellm.yaml', text: `model_list:${list.join('')}` })
})

it('a URL of Azure is taken apart into its host, deployment and version', async () => {
  const at = async (rest: string, more = '') => one('azure/d', `${base(`${HOST}${rest}`)}${more}`)
  const whole = await at('/openai/deployments/o1/chat/completions?api-version=2025-01-01-preview')
  const both = await at('/openai/deployments/d/?api-version=2025-01-01-preview', ', api_version: "2024-10-21"')
  const plain = await at('/openai/v1/chat/completions')
  const responses = await at('/openai/responses?api-version=2025-04-01-preview')
  const front = await one(
    'azure/d',
    `${base('https://front.example.com/azure/openai/deployments/d')}, api_version: "2024-10-21"`,
  )

  expect(whole.pool).toMatchObject({
    ...{ replicas: [`${HOST}/openai/deployments/o1`], model: 'o1', query: { 'api-version': '2025-01-01-preview' } },
  })
  expect(whole.stdout).toContain('# The deployment comes from the api_base, not `d`.')
  expect(both.pool.query).toEqual({ 'api-version': '2025-01-01-preview' })
  expect(both.stdout).toContain('# The version comes from the api_base, not `2024-10-21`.')
  expect(plain.pool).toMatchObject({ replicas: [`${HOST}/openai/v1`], model: 'd' })
  expect(responses.pool).toMatchObject({
    ...{ replicas: [`${HOST}/openai`], speaks: ['responses'], query: { 'api-version': '2025-04-01-preview' } },
  })
  expect(front.pool.replicas).toEqual(['https://front.example.com/azure/openai/deployments/d'])
})

it('what LiteLLM writes before a deployment is no part of its name, and what it changes is reported', async () => {
  for (const series of ['o_series', 'gpt5_series']) {
    const { pool, stderr } = await one(`azure/${series}/ours`, `${base(HOST)}, api_version: "2024-10-21"`)

    expect(pool).toMatchObject({ replicas: [`${HOST}/openai/deployments/ours`], model: 'ours' })
    expect(stderr).toContain(
      `▲ model_list[0].litellm_params.model: \`${series}/\` renames max_tokens to max_completion_tokens`,
    )
  }
  const other = await one('vllm/o_series/m', base('http://10.0.0.1:8000/v1'))
  expect(other.pool.model).toBe('o_series/m')
})

it('a model that LiteLLM asks by Responses is asked so', async () => {
  const openai = await one('openai/responses/o1-pro')
  const mode = await imported(`model_list:${entry('m', 'openai/o3')}\n    model_info: { mode: responses }`)
  const version = ', api_version: "2025-04-01-preview"'
  const azure = await one('azure/responses/o_series/ours', `${base(HOST)}${version}`)
  const plain = await one('azure/responses/ours', base(HOST))

  expect(openai.pool).toMatchObject({ replicas: ['https://api.openai.com/v1'], model: 'o1-pro', speaks: ['responses'] })
  expect(mode.yaml.pools.m).toMatchObject({ model: 'o3', speaks: ['responses'] })
  expect(azure.pool).toMatchObject({ replicas: [`${HOST}/openai`], model: 'ours', speaks: ['responses'] })
  expect(azure.stderr).not.toContain('▲')
  expect(plain.pool).toMatchObject({ replicas: [`${HOST}/openai/v1`], model: 'ours', speaks: ['responses'] })
})

it('what follows the question mark of an address is sent after each URL of the pool', async () => {
  const { code, pool, stdout } = await one('openai/m', `${base('https://front.example.com/v1?tenant=sk-1234')}`)

  expect({ code, pool }).toMatchObject({
    code: 0,
    pool: { replicas: ['https://front.example.com/v1'], query: { tenant: variable('M_TENANT') } },
  })
  expect(stdout).toContain('# The api_base had tenant in it: export it as M_TENANT.')
  expect(stdout).not.toContain('sk-1234')
})
