import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CATALOGUE } from 'svc-gateway-import'
import { describe, expect, it } from 'vitest'
import { registerPrices } from '../../../src/cli/prices/prices.ts'
import { runCommand } from '../run-command.ts'
import { filesOf } from '../site.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

const runIn = (cwd: string, ...args: string[]) =>
  runCommand(registerPrices, ['prices', 'check', ...args], { cwd, env: { CLOUD_KEY: 'a-key' } })

/** Models of three providers, each with its price of the catalogue, and a server of one's own that runs one of them. */
const RIGHT = {
  'gpt-4o': { pool: 'openai', price: '{ input: 2.5, output: 10, cached_input: 1.25 }' },
  'gpt-4o-mini': { pool: 'openai', price: '{ input: 0.15, output: 0.6, cached_input: 0.075 }' },
  'claude-sonnet-4-5': { pool: 'anthropic', price: '{ input: 3, output: 15, cached_input: 0.3, cache_write: 3.75 }' },
  'claude-opus-4-5': { pool: 'anthropic', price: '{ input: 5, output: 25, cached_input: 0.5 }' },
  'moonshot-v1-8k': { pool: 'moonshot', price: '{ input: 0.2, output: 2 }' },
}
const HOSTS = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  moonshot: 'https://api.moonshot.ai/v1',
}

type Prices = Readonly<Record<keyof typeof RIGHT, string>>
const right = Object.fromEntries(Object.entries(RIGHT).map(([name, { price }]) => [name, price])) as Prices

/** `of` says whether the models have these prices, or their pools have them as costs. */
function filesWith(prices: Prices, of: 'price' | 'cost') {
  const entries = Object.entries(RIGHT).map(([name, { pool }]) => ({
    ...{ name, pool: `p-${name}`, host: HOSTS[pool as keyof typeof HOSTS] },
    given: prices[name as keyof Prices],
  }))
  const models = entries.map(
    ({ name, pool, given }) =>
      `  ${name}:\n    kind: chat\n    tier: t\n    serve: [${pool}]\n    context: 100k\n    usd_per_1m: ${of === 'price' ? given : '{ input: 100, output: 100 }'} # of ${name}\n`,
  )
  const pools = entries.map(
    ({ name, pool, host, given }) =>
      `  ${pool}:\n    site: cloud\n    model: ${name}\n    replicas: [${host}]\n${of === 'cost' ? `    cost_usd_per_1m: ${given}\n` : ''}`,
  )
  return {
    'config.yaml': `version: 1\ninclude: [models.yaml]\nplans: { a: { models: all, rpm: 1, tpm: 1k, monthly_usd: 1 } }\ndefault_model: gpt-4o\npools:\n${pools.join('')}  mine: { site: here, model: gpt-4o, replicas: ["http://10.0.0.1/v1"] }\n`,
    'models.yaml': `models:\n${models.join('')}  own: { kind: chat, tier: t, serve: [mine], context: 100k, usd_per_1m: { input: 1, output: 1 } }\n`,
  }
}

describe('prices check', () => {
  it.each(['price', 'cost'] as const)('finds each rate of a %s that differs, and nothing beside', async of => {
    const cwd = filesOf(filesWith(right, of))
    const { stdout, code } = await runIn(cwd, '--exit-code')
    expect({ stdout, code }).toEqual({ stdout: `Compared 5 prices with ${CATALOGUE}. None differs.\n`, code: 0 })

    const wrong: Prices = {
      'gpt-4o': '{ input: 2.4, output: 10, cached_input: 1.25 }',
      'gpt-4o-mini': '{ input: 0.15, output: 6 }',
      'claude-sonnet-4-5': '{ input: 3, output: 15, cached_input: 0.03, cache_write: 3 }',
      'claude-opus-4-5': '{ input: 15, output: 75, cached_input: 1.5 }',
      'moonshot-v1-8k': '{ input: 0.2, output: 0.2 }',
    }
    const checked = await runIn(filesOf(filesWith(wrong, of)), '--json', '--exit-code')
    const found = JSON.parse(checked.stdout).data.map((each: Record<string, unknown>) => [each.upstream, each.rate])

    expect(checked.code).toBe(10)
    expect(found).toEqual([
      ['gpt-4o', 'input'],
      ['gpt-4o-mini', 'output'],
      ['gpt-4o-mini', 'cached_input'],
      ['claude-sonnet-4-5', 'cached_input'],
      ['claude-sonnet-4-5', 'cache_write'],
      ['claude-opus-4-5', 'input'],
      ['claude-opus-4-5', 'output'],
      ['claude-opus-4-5', 'cached_input'],
      ['claude-opus-4-5', 'cache_write'],
      ['moonshot-v1-8k', 'output'],
    ])
  })

  it('prints a patch that git applies, keeps comments, and leaves nothing that differs', async () => {
    const wrong: Prices = {
      ...right,
      'gpt-4o': '{ input: 9, output: 9 }',
      'gpt-4o-mini': '\n      input: 0.1\n      output: 0.1',
      'claude-opus-4-5': '{ input: 15, output: 75 }',
    }
    const files = filesWith(wrong, 'price')
    const cwd = filesOf(files)
    const { stdout, stderr } = await runIn(cwd, '--patch')
    expect(stderr).toBe('')
    expect(readFileSync(join(cwd, 'models.yaml'), 'utf8')).toBe(files['models.yaml'])

    const applied = spawnSync('git', ['apply', '-'], { cwd, input: stdout, encoding: 'utf8' })
    expect(applied).toMatchObject({ status: 0, stderr: '' })
    expect(readFileSync(join(cwd, 'models.yaml'), 'utf8')).toContain(
      'usd_per_1m: { input: 2.5, output: 10, cached_input: 1.25 } # of gpt-4o\n',
    )
    expect((await runIn(cwd)).stdout).toContain('None differs.')
  })

  it('names a price that has to be changed by hand', async () => {
    const cwd = filesOf(
      filesWith({ ...right, 'gpt-4o': '&shared { input: 9, output: 10, cached_input: 1.25 }' }, 'price'),
    )
    expect(await runIn(cwd, '--patch')).toMatchObject({
      stdout: '',
      stderr: '▲ change models.gpt-4o input by hand\n',
    })
  })

  it('names the prices of known providers that the catalogue lacks', async () => {
    const files = filesWith(right, 'price')
    const cwd = filesOf({ ...files, 'models.yaml': files['models.yaml'].replace('serve: [mine]', 'serve: [new]') })
    writeFileSync(
      join(cwd, 'config.yaml'),
      `${files['config.yaml']}  new: { site: cloud, model: gpt-of-tomorrow, replicas: [${HOSTS.openai}] }\n`,
    )
    const { stdout, code } = await runIn(cwd, '--exit-code')
    expect({ stdout, code }).toEqual({
      stdout: `Compared 5 prices with ${CATALOGUE}. None differs.\n▲ not compared, since the catalogue has no price: models.own (openai gpt-of-tomorrow)\n`,
      code: 0,
    })
    expect(await runIn(cwd, '--patch')).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining(
        '▲ not compared, since the catalogue has no price: models.own (openai gpt-of-tomorrow)\n',
      ),
    })
    expect(JSON.parse((await runIn(cwd, '--json')).stdout).not_listed).toEqual([
      { section: 'models', name: 'own', upstream: 'gpt-of-tomorrow', provider: 'openai' },
    ])
  })

  it('finds nothing in the shipped configuration, whose models run on servers of its operator', async () => {
    const { stdout, code } = await runIn(root, '--exit-code', '-c', 'config.example.yaml')
    expect(code).toBe(0)
    expect(stdout).toContain('It has none of the models that pools at known providers run.')
  })
})
