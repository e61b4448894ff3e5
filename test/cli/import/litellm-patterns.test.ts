import { expect, it } from 'vitest'
import { entry, imported } from './proxies.ts'

const named = (list: string, names: string) => imported(`model_list:${list}`, ['--names', names])

it('a pattern becomes the models that clients name', async () => {
  const { yaml, stderr } = await named(entry('openai/*', 'openai/*'), 'openai/gpt-x')
  const none = await imported(`model_list:${entry('openai/*', 'openai/*')}`)

  expect(yaml.pools['openai-gpt-x']).toMatchObject({ model: 'gpt-x' })
  expect(yaml.aliases).toEqual({ 'openai/gpt-x': 'openai-gpt-x' })
  expect(stderr).not.toContain('▲')
  expect(none).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('with --names') })
})

it('a name goes to the most specific pattern that it matches, and to no other', async () => {
  const list = `${entry('"*"', 'openai/*')}${entry('anthropic/*', 'anthropic/*')}${entry('anthropic/claude-x-*', 'groq/own-*')}`

  const { yaml } = await named(list, 'anthropic/claude-y,anthropic/claude-x-1,gpt-x')

  expect(yaml.models['anthropic-claude-y'].serve).toEqual(['anthropic-claude-y'])
  expect(yaml.pools['anthropic-claude-y']).toMatchObject({ model: 'claude-y', speaks: ['messages'] })
  expect(yaml.pools['anthropic-claude-x-1']).toMatchObject({ model: 'own-1' })
  expect(yaml.models['gpt-x'].serve).toEqual(['gpt-x'])
})

it('all entries of the most specific pattern serve a name, and a name of its own is left to its entry', async () => {
  const keys = ['A', 'B'].map(key => entry('team/*', 'openai/*', `, api_key: os.environ/${key}`)).join('')

  const { yaml } = await named(`${keys}${entry('team/own', 'groq/own')}`, 'team/gpt-x,team/own')

  expect(yaml.models['team-gpt-x'].serve).toHaveLength(2)
  expect(yaml.models['team-own'].serve).toEqual(['team-own'])
  expect(yaml.pools['team-own'].replicas).toEqual(['https://api.groq.com/openai/v1'])
})

it('each star of a pattern stands for its own part of the name', async () => {
  const { yaml } = await named(entry('"llm/fo::*::static::*"', '"openai/fo::*::static::*"'), 'llm/fo::bar::static::baz')
  const fewer = await named(entry('"*-of-*"', 'openai/*'), 'gpt-of-us')
  const none = await named(entry('"fast*"', 'openai/gpt-x'), 'fast-1')

  expect(Object.values(yaml.pools)).toMatchObject([{ model: 'fo::bar::static::baz' }])
  expect(Object.values(fewer.yaml.pools)).toMatchObject([{ model: 'gpt-of-us' }])
  expect(Object.values(none.yaml.pools)).toMatchObject([{ model: 'gpt-x' }])
})

it('a name that no pattern matches is told', async () => {
  const { stderr, stdout } = await named(entry('openai/*', 'openai/*'), 'openai/gpt-x,other/y')

  expect(stderr).toContain('▲ --names other/y: no model_name in the file matches it')
  expect(stdout).toContain('# Not imported: --names other/y: no model_name in the file matches it')
})

it('models that fallbacks and aliases name are taken from a pattern without --names', async () => {
  const { yaml } = await imported(`model_list:${entry('own', 'openai/own')}${entry('"*"', 'openai/*')}
router_settings: { fallbacks: [{ own: [gpt-x] }], model_group_alias: { usual: gpt-y } }`)

  expect(yaml.models.own.serve).toEqual(['own', 'gpt-x'])
  expect(yaml.aliases).toEqual({ usual: 'gpt-y' })
})
