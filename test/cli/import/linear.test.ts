import { expect, it } from 'vitest'
import { convertBifrost } from '../../../importers/src/bifrost/bifrost.ts'
import { convertLitellm } from '../../../importers/src/litellm/litellm.ts'
import { convertPortkey } from '../../../importers/src/portkey/portkey.ts'
import { writtenYaml } from '../../../src/cli/import/written.ts'
import { load } from '../../../src/config/load.ts'
import { textDisk } from '../../../src/config/read/disk.ts'
import { workOf } from '../../support/work.ts'

const list = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))
const beside = { names: [], title: 'test' }

const entry = (n: number, name: string, params = {}) => ({
  model_name: name,
  litellm_params: { model: `openai/gpt-${n}`, api_key: 'os.environ/KEY', odd: 1, ...params },
})
const litellm = (source: object, keys?: object) => convertLitellm(source, { ...beside, ...(keys && { keys: [keys] }) })

/** Files that strangers can make as long as they like, by what there is much of. */
const SOURCES: Readonly<Record<string, (count: number) => ReturnType<typeof convertLitellm>>> = {
  'models of LiteLLM': count => litellm({ model_list: list(count, n => entry(n, `m${n}`)) }),
  'models of LiteLLM by names that become one': count =>
    litellm({ model_list: list(count, n => entry(n, `m${'!'.repeat(n % 50)}${n < 0}`.padEnd(80, `${n}`))) }),
  'backends of one model of LiteLLM': count =>
    litellm({ model_list: list(count, n => entry(n, 'm', { api_base: `https://b${n}.example/v1` })) }),
  'replicas of one model of LiteLLM': count =>
    litellm({ model_list: list(count, n => entry(1, 'm', { api_base: `https://b${n}.example/v1` })) }),
  'keys of backends of LiteLLM': count =>
    litellm({ model_list: list(count, n => entry(n, `m${n}`, { api_key: `a-literal-key-${n}` })) }),
  'fallbacks of LiteLLM': count =>
    litellm({
      model_list: list(count, n => entry(n, `m${n}`)),
      router_settings: { fallbacks: list(count, n => ({ [`m${n}`]: [`m${(n + 1) % count}`] })) },
    }),
  'virtual keys of LiteLLM': count =>
    litellm(
      { model_list: [entry(1, 'm')] },
      { keys: list(count, n => ({ key_alias: `k${n}`, max_budget: n % 7, odd: 1 })) },
    ),
  'virtual keys of one user of LiteLLM, each with limits of its own': count =>
    litellm({ model_list: [entry(1, 'm')] }, { keys: list(count, n => ({ user_id: 'ada', rpm_limit: n + 1 })) }),
  'settings of LiteLLM that nobody knows': count =>
    litellm({ model_list: [entry(1, 'm')], ...Object.fromEntries(list(count, n => [`odd${n}`, 1])) }),
  'targets of Portkey': count =>
    convertPortkey(
      {
        strategy: { mode: 'fallback' },
        targets: list(count, n => ({ provider: 'openai', api_key: 'k', override_params: { model: `gpt-${n}` } })),
      },
      { ...beside, names: ['gpt-4'] },
    ),
  'virtual keys and budgets of Bifrost': count =>
    convertBifrost(
      {
        providers: {
          openai: { keys: [{ name: 'a', value: 'env.KEY', models: list(count, n => `gpt-${n}`), weight: 1 }] },
        },
        governance: {
          budgets: list(count, n => ({ id: `b${n}`, max_limit: n + 1, reset_duration: '1M' })),
          virtual_keys: list(count, n => ({ id: `v${n}`, name: `v${n}`, budget_id: `b${n}` })),
        },
      },
      beside,
    ),
}

it.each(Object.entries(SOURCES))('twice as many %s are twice the work of an import', async (_, convert) => {
  const work = (count: number) => workOf(() => void writtenYaml(convert(count), 'test'))
  await work(20)

  const [once, twice] = [await work(60), await work(120)]

  expect(twice / once).toBeLessThan(2.4)
})

it('what an import writes is loaded in proportion to its models', async () => {
  const { cwd } = process
  const work = (count: number) => {
    const text = writtenYaml(litellm({ model_list: list(count, n => entry(n, `m${n}`)) }), 'test')
    return workOf(
      () => void load(`${cwd()}/config.yaml`, { KEY: 'x' }, cwd(), textDisk([{ file: 'config.yaml', text }], cwd())),
    )
  }
  await work(20)

  const [once, twice] = [await work(60), await work(120)]

  expect(twice / once).toBeLessThan(2.4)
})
