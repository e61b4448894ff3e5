import { describe, expect, test } from 'vitest'
import type { DialectName } from '../../src/policy/backend-dialects.ts'
import type { Alias, ChatModel, HostedTool, Plan, Pool } from '../../src/policy/config.ts'
import { decide } from '../../src/policy/decide.ts'
import { fieldsLostAt, isNative, lossesAt } from '../../src/policy/dialect.ts'
import { explain } from '../../src/policy/explain.ts'
import type { ChatAsk } from '../../src/policy/facts.ts'
import { nanoUsd } from '../../src/policy/nano-usd.ts'
import { config, facts } from './fixture.ts'

const core = config.models.get('svc-core')
const free = config.plans.get('free')
const cloud = config.pools.get('cloud-core')
if (core?.kind !== 'chat' || !free || !cloud) throw new Error('the fixture has no svc-core, free or cloud-core')

const at = { file: 'policy.yaml', line: 99, column: 5 }

const pool = (name: string, ...speaks: readonly DialectName[]): Pool => ({ ...cloud, name, speaks })

const onprem = pool('onprem', 'chat')
const claude = pool('claude', 'messages')
const both = pool('both', 'messages', 'chat')
const searching: Pool = { ...pool('searching', 'messages'), providerTools: ['web_search'] }

/** The configuration with pools that speak several dialects behind svc-core. */
function served(serve: readonly Pool[], over: Partial<ChatModel> = {}, plan: Plan = free as Plan): typeof config {
  const model: ChatModel = { ...(core as ChatModel), fields: { lossy: at, serve: at }, serve, ...over }
  const alias: Alias = { name: 'svc-auto', at, fields: {}, model }
  return {
    ...config,
    models: new Map(config.models).set(model.name, model),
    aliases: new Map([['svc-auto', alias]]),
    defaultModel: alias,
    plans: new Map(config.plans).set(plan.name, plan),
  }
}

function poolsOf(policy: typeof config, chat: Partial<ChatAsk>, down: readonly string[] = []) {
  const decision = decide(policy, facts(chat, 'free', down))
  return 'denial' in decision ? decision.denial : decision.pools.map(({ name }) => name)
}

const onlyNative = { field: 'previous_response_id', problem: 'is not kept here' }

describe('the pools of a request in a dialect', () => {
  test('all pools of the model may answer a request that can be translated without loss', () => {
    expect(poolsOf(served([onprem, claude]), { dialect: 'messages' })).toEqual(['onprem', 'claude'])
    expect(poolsOf(served([onprem, claude]), {})).toEqual(['onprem', 'claude'])
  })

  test('only pools of its dialect answer what cannot be translated, in the order of the files', () => {
    const policy = served([onprem, claude, both])

    expect(poolsOf(policy, { dialect: 'messages', onlyNative })).toEqual(['claude', 'both'])
    expect(poolsOf(policy, { dialect: 'messages', onlyNative }, ['claude'])).toEqual(['both', 'claude'])
  })

  test('an untranslatable request is refused if no pool speaks its dialect', () => {
    const denial = { code: 'VALIDATION_ERROR', ...onlyNative }

    expect(poolsOf(served([onprem, claude]), { dialect: 'responses', onlyNative })).toEqual(denial)
    const named = { ...onlyNative, reason: 'unsupported_value' }
    expect(poolsOf(served([onprem]), { dialect: 'responses', onlyNative: named })).toEqual({ ...denial, ...named })
  })

  test('a translation may lose fields only if the model allows it', () => {
    expect(poolsOf(served([onprem, claude]), { dialect: 'messages', losses: ['web_search'] })).toEqual([
      'onprem',
      'claude',
    ])
  })

  test('a model that refuses losses sends such a request only to pools of its dialect', () => {
    const policy = served([onprem, claude], { lossy: 'refuse' })

    expect(poolsOf(policy, { dialect: 'messages', losses: ['web_search'] })).toEqual(['claude'])
    expect(poolsOf(policy, { dialect: 'messages' })).toEqual(['onprem', 'claude'])
  })

  test('a model that refuses losses refuses the request where no pool speaks its dialect', () => {
    const policy = served([onprem], { lossy: 'refuse' })
    const losses = ['web_search', 'code_interpreter']
    const given = facts({ dialect: 'responses', losses }, 'free')
    const decision = decide(policy, given)

    const problem = 'web_search, code_interpreter cannot be used with svc-core'
    expect(decision).toEqual({ denial: { code: 'VALIDATION_ERROR', field: 'tools', problem }, stage: 'body', at })
    expect(explain(policy, given, decision).at(-1)).toEqual({
      stage: 'body',
      outcome: 'deny',
      text: `tools: ${problem}`,
      at,
    })
  })

  test('a field is lost in the pools whose translation leaves it out, and refused where the model refuses losses', () => {
    const gpt = pool('gpt', 'responses')
    const asked: Partial<ChatAsk> = { lostFields: { messages: ['seed'], responses: ['seed', 'stop'] } }
    const lostAt = (at: Pool, chat = asked) => fieldsLostAt(core as ChatModel, at, facts(chat).request)

    expect([onprem, claude, gpt, both].map(at => lostAt(at))).toEqual([[], ['seed'], ['seed', 'stop'], []])
    const ofClaude: Partial<ChatAsk> = { dialect: 'messages', lostFields: { chat: ['mode'], responses: ['mode'] } }
    expect([onprem, claude, gpt].map(at => lostAt(at, ofClaude))).toEqual([['mode'], [], ['mode']])
    expect(poolsOf(served([claude, onprem]), asked)).toEqual(['claude', 'onprem'])
    expect(poolsOf(served([claude, onprem], { lossy: 'refuse' }), asked)).toEqual(['onprem'])
    expect(poolsOf(served([claude], { lossy: 'refuse' }), { lostFields: { responses: ['stop'] } })).toEqual(['claude'])
    expect(poolsOf(served([claude, gpt], { lossy: 'refuse' }), asked)).toEqual({
      ...{ code: 'VALIDATION_ERROR', field: 'seed' },
      problem: 'cannot be used with svc-core, and neither can stop',
    })
  })

  test('a request with hosted tools is translated for every pool, so that what cannot be is refused', () => {
    const tool: HostedTool = { name: 'clock', at, fields: {}, maxCalls: 1, price: nanoUsd(0) }
    const plan: Plan = { ...(free as Plan), tools: new Map([['clock', { by: 'clock', at }]]) }
    const policy = (over: Partial<ChatModel>) => ({
      ...served([claude], over, plan),
      tools: new Map([['clock', tool]]),
    })
    const asked: Partial<ChatAsk> = { dialect: 'messages', hosted: ['clock'] }

    expect(poolsOf(policy({}), asked)).toEqual(['claude'])
    expect(poolsOf(policy({}), { ...asked, onlyNative })).toMatchObject({ field: 'previous_response_id' })
    expect(poolsOf(policy({}), { ...asked, losses: ['web_search'] })).toEqual(['claude'])
    expect(poolsOf(policy({ lossy: 'refuse' }), { ...asked, losses: ['web_search'] })).toMatchObject({ field: 'tools' })
  })

  test('a pool that does not allow a tool of the provider gets the request translated, without that tool', () => {
    const policy = served([claude, searching])
    const asked: Partial<ChatAsk> = {
      dialect: 'messages',
      losses: ['web_search_20250305'],
      providerTools: ['web_search'],
    }

    expect(poolsOf(policy, asked)).toEqual(['claude', 'searching'])
    expect(lossesAt(claude, facts(asked).request)).toEqual(['web_search_20250305'])
    expect(lossesAt(searching, facts(asked).request)).toEqual([])
    const cuttable = { ...asked, cuttable: ['web_search'] }
    expect(isNative(claude, facts(cuttable).request as ChatAsk)).toBe(true)
    expect(lossesAt(claude, facts(cuttable).request)).toEqual(['web_search'])
    expect(poolsOf(served([claude, searching], { lossy: 'refuse' }), cuttable)).toEqual(['searching'])
    const both = { ...asked, providerTools: ['web_search', 'code_execution'] }
    expect(lossesAt(searching, facts(both).request)).toEqual(['web_search_20250305'])
  })

  test('a tool of the provider that no translation can leave out goes only to pools that allow it', () => {
    const asked: Partial<ChatAsk> = { dialect: 'messages', onlyNative, providerTools: ['web_search'] }
    const refusing: Partial<ChatAsk> = { dialect: 'messages', losses: ['x'], providerTools: ['web_search'] }

    expect(poolsOf(served([claude, searching]), asked)).toEqual(['searching'])
    expect(poolsOf(served([claude, searching], { lossy: 'refuse' }), refusing)).toEqual(['searching'])
  })

  test('where no pool allows a tool of the provider, the refusal names the tool and the line that could allow it', () => {
    const policy = served([onprem, { ...claude, fields: { provider_tools: at } }], { lossy: 'refuse' })
    const problem = 'mcp, web_search cannot be used with svc-core'
    for (const rest of [{ onlyNative }, { losses: ['web_search_20250305'] }]) {
      const given = facts({ dialect: 'messages', ...rest, providerTools: ['mcp', 'web_search'] }, 'free')
      const decision = decide(policy, given)
      expect(decision).toEqual({ denial: { code: 'VALIDATION_ERROR', field: 'tools', problem }, stage: 'body', at })
    }
    expect(poolsOf(policy, { dialect: 'responses', onlyNative, providerTools: ['mcp'] })).toMatchObject(onlyNative)
  })

  test('a route to a model whose pools cannot answer is skipped, and does not make a good request a bad one', () => {
    const policy = served([claude])
    const plan: Plan = {
      ...(free as Plan),
      models: new Map([...(free as Plan).models, ['svc-calm', { by: 'all', at }]]),
    }
    const calm = config.models.get('svc-calm')
    if (!calm) throw new Error('there is no svc-calm')
    const route = { name: 'all', at, fields: {}, when: { is: 'all', of: [] }, model: calm } as const
    const routed = { ...policy, plans: new Map(policy.plans).set('free', plan), routes: [route] }

    expect(decide(routed, facts({ dialect: 'messages' }, 'free'))).toMatchObject({ model: { name: 'svc-calm' } })
    const given = facts({ dialect: 'messages', onlyNative }, 'free')
    const decision = decide(routed, given)
    expect(decision).toMatchObject({ model: { name: 'svc-core' } })
    expect(explain(routed, given, decision)).toContainEqual(
      expect.objectContaining({ stage: 'route', text: expect.stringContaining('is not kept here') }),
    )
  })

  test('the last step names the pools that a request is translated for', () => {
    const policy = served([claude, onprem])
    const sendOf = (chat: Partial<ChatAsk>) => {
      const given = facts(chat, 'free')
      return explain(policy, given, decide(policy, given)).at(-1)?.text
    }

    expect(sendOf({ dialect: 'messages' })).toBe('claude, then onprem (translated)')
    expect(sendOf({})).toBe('claude (translated), then onprem')
    expect(sendOf({ dialect: 'messages', losses: ['x'], providerTools: ['mcp', 'web_search'] })).toBe(
      'claude (translated, since it does not allow mcp, web_search), then onprem (translated, without x)',
    )
    expect(sendOf({ lostFields: { messages: ['seed', 'min_p'], responses: ['stop'] } })).toBe(
      'claude (translated, without seed, min_p), then onprem',
    )
  })
})

describe('members that a dialect does not have', () => {
  const speaking = (name: string, more: Partial<Pool>): Pool => ({
    ...pool(name, 'messages', 'responses'),
    ...{ unknownFields: 'drop', fields: { passes: at }, ...more },
  })
  const provider = speaking('provider', {})
  const engine = speaking('engine', { unknownFields: 'refuse' })
  const passing = speaking('passing', { unknownFields: 'refuse', passes: ['top_k', 'input.content.note'] })
  const refusal = (field: string) => ({ code: 'VALIDATION_ERROR', field, problem: 'is not accepted by svc-core' })
  const boolean = { at, is: 'boolean' } as const
  const accepts = new Map([['guided', boolean]])
  const extras = { guided: { value: true, bytes: 4 } }
  const TOP = ['top_k']
  const OTHER = ['top_k', 'mode']

  describe.each(['messages', 'responses'] as const)('%s', dialect => {
    const lostFields = { chat: OTHER, messages: OTHER, responses: OTHER }

    test.each<[string, readonly Pool[], Partial<ChatAsk>, Partial<ChatModel>, readonly string[] | object]>([
      ['are dropped by a provider', [provider], { unknown: OTHER }, {}, ['provider']],
      ['are refused by an engine', [engine], { unknown: OTHER }, {}, refusal('top_k')],
      ['reach a pool that passes them', [passing], { unknown: TOP }, {}, ['passing']],
      ['are refused beside those that it passes', [passing], { unknown: OTHER }, {}, refusal('mode')],
      ['pass by their names from the top', [passing], { unknown: ['input.content.note'] }, {}, ['passing']],
      ['pass by no part of that name', [passing], { unknown: ['note'] }, {}, refusal('note')],
      ['go past an engine to a provider', [engine, provider], { unknown: OTHER }, {}, ['provider']],
      ['are lost in a translation, and refuse nothing there', [onprem], { unknown: OTHER, lostFields }, {}, ['onprem']],
      [
        'are losses where the model refuses them',
        [provider, passing],
        { unknown: TOP },
        { lossy: 'refuse' },
        ['passing'],
      ],
      ['beyond those that are kept are named as the body', [engine], { unknown: ['others'] }, {}, refusal('body')],
      [
        'reach an engine where the model declares them',
        [engine],
        { unknown: ['guided'], extras },
        { accepts },
        ['engine'],
      ],
      [
        'are no loss where the model declares them',
        [onprem, provider],
        { unknown: ['guided'], lostFields: { chat: ['guided'] }, extras },
        { accepts, lossy: 'refuse' },
        ['onprem', 'provider'],
      ],
      [
        'are refused by an engine that the model of another declares',
        [engine],
        { unknown: ['guided'], extras },
        {},
        refusal('guided'),
      ],
      [
        'are refused beyond the bound that the model declares',
        [engine, onprem],
        { unknown: ['guided'], extras: { guided: { value: 5, bytes: 1 } } },
        { accepts },
        { code: 'VALIDATION_ERROR', field: 'guided', problem: 'must be a boolean' },
      ],
    ])('%s', (_name, serve, asked, model, expected) => {
      const result = poolsOf(served(serve, model), { dialect, ...asked })

      if (Array.isArray(expected)) expect(result).toEqual(expected)
      else expect(result).toMatchObject(expected)
    })

    test('are named for each pool that does not get them', () => {
      const { models } = served([onprem, provider, passing], { accepts })
      const model = models.get('svc-core')
      if (!model) throw new Error('there is no svc-core')
      const asked = { dialect, unknown: [...OTHER, 'guided'], lostFields: { chat: [...OTHER, 'guided'] }, extras }
      const { request } = facts(asked)

      expect([onprem, provider, passing].map(each => fieldsLostAt(model, each, request))).toEqual([
        OTHER,
        OTHER,
        ['mode'],
      ])
    })
  })

  test('an address keeps a request from a pool that fetches nothing, and it is translated for it', () => {
    const asked: Partial<ChatAsk> = { dialect: 'messages', address: 'messages[0].content[0].source.url' }

    expect(isNative(provider, facts(asked).request as ChatAsk)).toBe(false)
    expect(isNative({ ...provider, fetches: true }, facts(asked).request as ChatAsk)).toBe(true)
    expect(poolsOf(served([provider, { ...passing, fetches: true }]), { ...asked, onlyNative })).toEqual(['passing'])
  })
})

test('a pool is sent a request as it is where it speaks the dialect, and no hosted tool runs', () => {
  const ask: ChatAsk = { kind: 'chat', stream: false, messages: 1, textBytes: 1, images: 0, tools: 0, choices: 1 }

  expect(isNative(onprem, ask)).toBe(true)
  expect(isNative(onprem, { ...ask, hosted: ['clock'] })).toBe(true)
  expect(isNative(claude, ask)).toBe(false)
  expect(isNative(both, { ...ask, dialect: 'messages' })).toBe(true)
  expect(isNative(both, { ...ask, dialect: 'messages', hosted: ['clock'] })).toBe(false)
  expect(isNative(both, { ...ask, dialect: 'messages', hosted: [] })).toBe(true)
  expect(isNative(both, { ...ask, dialect: 'responses' })).toBe(false)
})

describe('what a request holds', () => {
  const inputOf = (serve: readonly Pool[], chat: Partial<ChatAsk>) => {
    const decision = decide(
      served(serve, { vision: true }),
      facts({ textBytes: 100, images: 0, messages: 1, ...chat }, 'free'),
    )
    return 'denial' in decision ? decision.denial : decision.claims.input
  }
  const native = { bytes: 500, images: 0 }

  test('is what it weighs in its own dialect, where a pool gets it so', () => {
    const asked: Partial<ChatAsk> = { dialect: 'messages', native }

    expect(inputOf([onprem, claude], asked)).toBe(516)
    expect(inputOf([claude], { ...asked, native: { bytes: 50, images: 2 } })).toBe(116 + 2 * 2000)
    expect(inputOf([onprem], asked)).toBe(116)
    expect(inputOf([claude], { ...asked, providerTools: ['web_search'] })).toBe(116)
  })

  test('is all that the context leaves where it has a file, of whose tokens there is no bound', () => {
    const asked: Partial<ChatAsk> = { dialect: 'messages', native: { ...native, isUnbounded: true } }

    const cap = { field: 'max_tokens', tokens: 1000 } as const
    expect(inputOf([claude], { ...asked, cap })).toBe(32_000 - 1000)
    expect(inputOf([onprem], { ...asked, cap })).toBe(116)
  })
})
