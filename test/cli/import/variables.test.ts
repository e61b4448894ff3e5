import { expect, it } from 'vitest'
import { importedFrom, variable } from './imported.ts'
import { entry, imported } from './proxies.ts'

const keysIn = (yaml: { pools: Readonly<Record<string, { key: string }>> }) =>
  Object.values(yaml.pools).map(({ key }) => key)

it('a key in the file never has the name of a variable that the file refers to', async () => {
  const referred = ', api_key: os.environ/OPENAI_API_KEY'
  for (const [first, last] of [
    [', api_key: sk-1234', referred],
    [referred, ', api_key: sk-1234'],
  ]) {
    const { yaml } = await imported(
      `model_list:${entry('openai', 'openai/a', first)}${entry('openai', 'openai/a', last)}`,
    )

    const own = variable('OPENAI_API_KEY_2')
    expect(keysIn(yaml)).toEqual(
      first === referred ? [variable('OPENAI_API_KEY'), own] : [own, variable('OPENAI_API_KEY')],
    )
  }
  const base = await imported(
    `model_list:${entry('m', 'openai/m', ', api_key: sk-1234, extra_headers: { api-key2: os.environ/M_API_KEY }')}`,
  )
  expect(base.yaml.pools.m).toMatchObject({
    key: variable('M_API_KEY_2'),
    headers: { 'api-key2': variable('M_API_KEY') },
  })
})

it('a key in the file never has the name of the variable that its provider has by default', async () => {
  const { yaml } = await imported(
    `model_list:${entry('anthropic', 'anthropic/a', ', api_key: sk-1234')}${entry('b', 'anthropic/b')}`,
  )

  expect(keysIn(yaml)).toEqual([variable('ANTHROPIC_API_KEY_2'), variable('ANTHROPIC_API_KEY')])
})

it('two keys of a provider are two pools, although one of them is a text', async () => {
  const keys = ['env.OPENAI_API_KEY', 'sk-1234', 'sk-****', 'sk-****'].map(value => ({ value, models: ['m'] }))
  const text = JSON.stringify({ providers: { openai: { keys } } })
  const { yaml } = await importedFrom('bifrost', { file: 'config.json', text })

  expect(keysIn(yaml)).toEqual(['', '_2', '_3', '_4'].map(end => variable(`OPENAI_API_KEY${end}`)))
  expect(yaml.models.m.serve).toHaveLength(4)
})

it('keys that are masked are keys of their own', async () => {
  const target = { provider: 'openai', api_key: '***', override_params: { model: 'm' } }
  const import_ = (config: unknown, options: readonly string[] = []) =>
    importedFrom('portkey', { file: 'chat.json', text: JSON.stringify(config) }, options)
  const apart = await import_({ targets: [target, target] })
  const around = await import_({ api_key: '***', targets: [{ ...target, api_key: undefined }, { provider: 'openai' }] })
  const named = await import_({ provider: 'openai', api_key: '***' }, ['--names', 'a,b'])

  expect(keysIn(apart.yaml)).toEqual([variable('OPENAI_API_KEY'), variable('OPENAI_API_KEY_2')])
  expect(keysIn(named.yaml)).toEqual([variable('OPENAI_API_KEY'), variable('OPENAI_API_KEY')])
  expect(keysIn(around.yaml)).toEqual([variable('OPENAI_API_KEY')])
})
