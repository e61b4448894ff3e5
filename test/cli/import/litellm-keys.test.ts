import { expect, it } from 'vitest'
import { above, entry, imported, openai } from './proxies.ts'

const withKeys = (keys: readonly unknown[]) =>
  imported(`model_list:${openai}${entry('own', 'openai/own')}`, ['--keys', 'DIR/keys.json'], {
    'keys.json': JSON.stringify({ keys }),
  })

it('a key that may do nothing is not minted, and no comment says that it had no limit', async () => {
  for (const field of ['rpm_limit', 'tpm_limit', 'max_budget', 'max_parallel_requests']) {
    const { code, yaml, stdout, stderr } = await withKeys([{ key_alias: 'stopped', rpm_limit: 5, [field]: 0 }])

    expect({ code, plans: Object.keys(yaml.plans) }).toEqual({ code: 0, plans: ['default'] })
    expect(stdout).not.toContain('keys mint')
    expect(stderr).toContain(`▲ keys[0].${field}: `)
    expect(stderr).toContain(`▲ keys[0]: it would lose its ${field} here: do not mint it`)
  }
})

it('a key with a limit that cannot be written is not minted without it', async () => {
  const limits: Readonly<Record<string, unknown>> = {
    max_budget: 5,
    rpm_limit: 'os.environ/RPM',
    models: 'gpt-4o',
    model_rpm_limit: { 'gpt-4o': 1 },
    budget_id: 'b-1',
    expires: 'soon',
    allowed_ips: ['10.0.0.1'],
  }
  for (const [field, value] of Object.entries(limits)) {
    const { stdout, stderr } = await withKeys([{ key_alias: 'a', [field]: value, budget_duration: '365d' }])

    expect(stdout).not.toContain('keys mint')
    expect(stderr).toContain(`▲ keys[0]: it would lose its ${field} here: do not mint it`)
  }
  const team = await withKeys([{ key_alias: 'team', models: ['all-team-models'] }])
  expect(team.stderr).toContain('▲ keys[0]: it would lose its models here: do not mint it')
})

it('the default plan is not open where a limit of it cannot be written', async () => {
  const { code, yaml, stdout } = await imported(`model_list:${openai}
litellm_settings: { default_key_generate_params: { rpm_limit: 0, tpm_limit: 1000, models: [gone] } }`)

  expect({ code, plan: yaml.plans.default }).toMatchObject({
    code: 0,
    plan: { tpm: 1000, limits: [{ requests: 1, per: '90d' }] },
  })
  const [first, second] = above(stdout, 'default')
  expect(first).toBe('# rpm_limit, models of these keys cannot be imported: one request per 90 days replaces it.')
  expect(second).toBe('# A plan needs rpm, monthly_usd of these keys: add their limits.')
})

it('a budget of 0 of the proxy is none, as for LiteLLM', async () => {
  const { stderr } = await imported(`model_list:${openai}\nlitellm_settings: { max_budget: 0 }`)

  expect(stderr).not.toContain('▲')
})

const page = (at: number, keys: readonly unknown[]) =>
  JSON.stringify({ keys, total_count: 3, current_page: at, total_pages: 2 })

it('what is no map of a key is not minted, and pages that are missing are reported', async () => {
  const { code, stdout, stderr } = await imported(`model_list:${openai}`, ['--keys', 'DIR/keys.json'], {
    'keys.json': page(1, ['88dc', '99dc', { key_alias: 'ci' }]),
  })
  const none = await imported(`model_list:${openai}`, ['--keys', 'DIR/keys.json'], { 'keys.json': '{"error": "x"}' })

  expect({ code, mint: stdout.match(/keys mint .*/g) }).toEqual({
    code: 0,
    mint: ['keys mint --plan default --account ci --name ci'],
  })
  const path = '/key/list?return_full_object=true&size=100'
  expect(stderr).toContain(`▲ keys: there is no map for 2 of 3: mint no keys for these, and request ${path}\n`)
  expect(stderr).toContain(
    `▲ total_pages: 1 of 2 pages are here: ask for ${path}&page=N, and give --keys for each page\n`,
  )
  expect(none.stderr).toContain('▲ --keys: it has no list of keys')
})

it('the pages of an export are files of their own, or a list in one', async () => {
  const pages = [page(1, [{ key_alias: 'a' }, { key_alias: 'b' }]), page(2, [{ key_alias: 'c', rpm_limit: 0 }])]
  const apart = await imported(`model_list:${openai}`, ['--keys', 'DIR/1.json', '--keys', 'DIR/2.json'], {
    '1.json': pages[0] ?? '',
    '2.json': pages[1] ?? '',
  })
  const joined = await imported(`model_list:${openai}`, ['--keys', 'DIR/all.json'], { 'all.json': `[${pages}]` })

  expect(apart.stdout.match(/--name \w/g)).toEqual(['--name a', '--name b'])
  expect(apart.stderr).toContain('▲ keys[2].rpm_limit: ')
  expect(apart.stderr).not.toContain('total_pages')
  expect(joined.stdout).toBe(apart.stdout)
})

it('keys of one user with other models or limits have accounts of their own, which is reported', async () => {
  const { code, stdout, stderr } = await withKeys([
    { key_alias: 'small', user_id: 'ada', models: ['gpt-4o'] },
    { key_alias: 'large', user_id: 'ada', rpm_limit: 5 },
    { user_id: 'ada', rpm_limit: 6 },
    { key_alias: 'twin', user_id: 'ada', models: ['gpt-4o'] },
    { key_alias: 'ada', rpm_limit: 5 },
  ])

  const plansOf = new Map<string, Set<string>>()
  for (const [, plan = '', account = ''] of stdout.matchAll(/keys mint --plan (\S+) --account (\S+)/g))
    plansOf.set(account, (plansOf.get(account) ?? new Set()).add(plan))
  expect(code).toBe(0)
  expect([...plansOf].map(([account, plans]) => [account, [...plans]])).toEqual([
    ['ada', ['small']],
    ['ada-large', ['large']],
    ['ada-3', ['large']],
    ['ada-2', ['keys']],
  ])
  const why = 'has the plan small, and an account has one: the account of this key is'
  expect(stderr).toContain(`▲ keys[1]: \`ada\` ${why} \`ada-large\`\n`)
  expect(above(stdout, 'keys').join()).toContain(`# Not imported: keys[2]: \`ada\` ${why} \`ada-2\``)
})

it('keys of one user with the same limits share them, which is reported', async () => {
  const { stdout, stderr } = await withKeys([
    { key_alias: 'a', user_id: 'ada', rpm_limit: 5 },
    { key_alias: 'b', user_id: 'ada', rpm_limit: 5 },
    { key_alias: 'c', user_id: 'bob' },
    { key_alias: 'd', user_id: 'bob' },
  ])

  expect(stdout.match(/--account (\S+)/g)).toEqual(
    ['c', 'd', 'a', 'b'].map(key => `--account ${'ab'.includes(key) ? 'ada' : 'bob'}`),
  )
  expect(stderr.match(/^▲ .*$/gm)).toEqual(['▲ keys[1]: all keys of `ada` share the limits of its plan'])
})
