import { describe, expect, it } from 'vitest'
import { localTime } from '../../src/policy/condition.ts'
import type { Alias, Condition, Config, Matcher, Model, Route } from '../../src/policy/config.ts'
import { decide } from '../../src/policy/decide.ts'
import { explain } from '../../src/policy/explain.ts'
import type { ChatAsk } from '../../src/policy/facts.ts'
import { config, facts, NOON } from './fixture.ts'

const place = { file: 'policy.yaml', line: 900, column: 1 }
const modelOf = (name: string): Model => {
  const model = config.models.get(name)
  if (!model) throw new Error(`no model ${name}`)
  return model
}
const route = (name: string, when: Condition, use: string): Route => ({
  name,
  at: place,
  fields: {},
  when,
  model: modelOf(use),
})
const core = modelOf('svc-core')
const calm: Alias = { name: 'svc-quiet', at: place, fields: {}, model: modelOf('svc-calm') }
const auto: Alias = { name: 'svc-auto', at: place, fields: {}, model: core }
const routedBy = (...routes: Route[]): Config => ({
  ...config,
  aliases: new Map([auto, calm].map(alias => [alias.name, alias])),
  defaultModel: auto,
  routes,
})

const news: Matcher = { kind: 'mentions', name: 'mentions news', phrases: ['news'] }
const code: Matcher = { kind: 'matches', name: 'matches /x/', pattern: 'x' }
const seen = (matcher: Matcher): Condition => ({ is: 'signal', matcher })

/** Properties of a request, besides being short and on plan team. */
interface Like {
  readonly chat?: Partial<ChatAsk>
  readonly plan?: string
  readonly at?: number
  readonly signals?: Readonly<Record<string, boolean>>
}

/** The model that serves and the route that chose it, or nothing; or what is denied. */
function outcome(settings: Config, { chat = {}, plan = 'team', at = NOON, signals = {} }: Like): string {
  const decision = decide(settings, { ...facts(chat, plan, [], at), signals })
  if ('denial' in decision) return 'type' in decision.denial ? decision.denial.type : decision.denial.code
  return [decision.model.name, decision.route?.name].filter(Boolean).join(' by ')
}

it('a route to a model that the key excludes is skipped, and explained so', () => {
  const settings = routedBy(route('always', { is: 'input_tokens', under: 1000 }, 'svc-pro'))
  const given = facts({}, 'team')
  const of = (models: readonly string[]) => ({ ...given, caller: { ...given.caller, key: { id: 'key_1', models } } })
  const modelFor = (models: readonly string[]) => {
    const decision = decide(settings, of(models))
    return 'denial' in decision ? decision.denial : decision.model.name
  }

  expect(modelFor(['svc-core', 'svc-pro'])).toBe('svc-pro')
  expect(modelFor(['svc-core'])).toBe('svc-core')
  const steps = explain(settings, of(['svc-core']), decide(settings, of(['svc-core'])))
  expect(steps.find(({ stage }) => stage === 'route')?.text).toBe(
    'always: would use svc-pro, which the key does not include',
  )
})

/** Saturday, 2026-11-21, 10:00 in UTC. */
const hours = (n: number): number => NOON + n * 3_600_000

type Row = readonly [name: string, when: Condition, like: Like, holds: boolean]
const not = (of: Condition): Condition => ({ is: 'not', of })
const all = (...of: Condition[]): Condition => ({ is: 'all', of })
const any = (...of: Condition[]): Condition => ({ is: 'any', of })
const over: Condition = { is: 'input_tokens', over: 100 }
const under: Condition = { is: 'input_tokens', under: 100 }
const between: Condition = { is: 'input_tokens', over: 100, under: 200 }
const bytes = (textBytes: number): Like => ({ chat: { textBytes } })
const tools: Condition = { is: 'has_tools', value: true }
const noTools: Condition = { is: 'has_tools', value: false }
const noImages: Condition = { is: 'has_images', value: false }
const hour = (from: number, to: number, zone = 'UTC'): Condition => ({ is: 'hour', from, to, zone })
const yes: Condition = noTools
const no: Condition = tools

const rows: readonly Row[] = [
  ['a phrase that was found', seen(news), { signals: { [news.name]: true } }, true],
  ['a phrase that was not found', seen(news), { signals: { [news.name]: false } }, false],
  ['a phrase that nobody looked for', seen(news), {}, false],
  ['another phrase', seen(news), { signals: { 'mentions weather': true } }, false],
  ['a pattern that was found', seen(code), { signals: { [code.name]: true } }, true],
  ['a pattern that was not found', seen(code), { signals: { [code.name]: false } }, false],

  ['400 bytes, over 100 tokens', over, bytes(400), false],
  ['401 bytes, over 100 tokens', over, bytes(401), true],
  ['404 bytes, over 100 tokens', over, bytes(404), true],
  ['1 byte, over 100 tokens', over, bytes(1), false],
  ['396 bytes, under 100 tokens', under, bytes(396), true],
  ['397 bytes, under 100 tokens', under, bytes(397), false],
  ['400 bytes, under 100 tokens', under, bytes(400), false],
  ['400 bytes, between 100 and 200', between, bytes(400), false],
  ['404 bytes, between 100 and 200', between, bytes(404), true],
  ['796 bytes, between 100 and 200', between, bytes(796), true],
  ['800 bytes, between 100 and 200', between, bytes(800), false],
  ['no text, under 100 tokens', under, bytes(0), true],

  ['tools, with tools', tools, { chat: { tools: 1 } }, true],
  ['tools, without', tools, {}, false],
  ['no tools, with tools', noTools, { chat: { tools: 3 } }, false],
  ['no tools, without', noTools, {}, true],
  ['no images, without', noImages, {}, true],

  ['the plan', { is: 'plan', names: ['team'] }, {}, true],
  ['another plan', { is: 'plan', names: ['pro'] }, {}, false],
  ['one of two plans', { is: 'plan', names: ['pro', 'team'] }, {}, true],
  ['a plan whose name begins alike', { is: 'plan', names: ['tea', 'teams'] }, {}, false],

  ['the alias by default', { is: 'alias', names: ['svc-auto'] }, {}, true],
  ['the alias by name', { is: 'alias', names: ['svc-auto'] }, { chat: { model: 'svc-auto' } }, true],
  ['another alias', { is: 'alias', names: ['svc-quiet'] }, {}, false],
  ['the other alias by name', { is: 'alias', names: ['svc-quiet'] }, { chat: { model: 'svc-quiet' } }, true],
  ['one of two aliases', { is: 'alias', names: ['svc-quiet', 'svc-auto'] }, {}, true],

  ['10 o’clock, from 9 to 17', hour(9, 17), {}, true],
  ['9 o’clock, from 9 to 17', hour(9, 17), { at: hours(-1) }, true],
  ['one ms before 9, from 9 to 17', hour(9, 17), { at: hours(-1) - 1 }, false],
  ['one ms before 17, from 9 to 17', hour(9, 17), { at: hours(7) - 1 }, true],
  ['17 o’clock, from 9 to 17', hour(9, 17), { at: hours(7) }, false],
  ['23 o’clock, over midnight', hour(22, 6), { at: hours(13) }, true],
  ['midnight, over midnight', hour(22, 6), { at: hours(14) }, true],
  ['5 o’clock, over midnight', hour(22, 6), { at: hours(19) }, true],
  ['6 o’clock, over midnight', hour(22, 6), { at: hours(20) }, false],
  ['10 o’clock, over midnight', hour(22, 6), {}, false],
  ['23 o’clock, to the end of the day', hour(22, 24), { at: hours(13) }, true],
  ['midnight, to the end of the day', hour(22, 24), { at: hours(14) }, false],
  ['the whole day', hour(0, 24), { at: hours(3) }, true],
  ['11 in Berlin, from 11', hour(11, 12, 'Europe/Berlin'), {}, true],
  ['10 in UTC is not 10 in Berlin', hour(10, 11, 'Europe/Berlin'), {}, false],
  ['5 in New York', hour(5, 6, 'America/New_York'), {}, true],
  ['15 in Kolkata, half an hour off', hour(15, 16, 'Asia/Kolkata'), {}, true],
  ['19 in Tokyo', hour(19, 20, 'Asia/Tokyo'), {}, true],
  ['12 in Berlin in summer', hour(12, 13, 'Europe/Berlin'), { at: Date.UTC(2026, 6, 1, 10) }, true],
  ['the hour that summer time leaves out', hour(2, 3, 'Europe/Berlin'), { at: Date.UTC(2026, 2, 29, 1) }, false],
  ['the hour after it', hour(3, 4, 'Europe/Berlin'), { at: Date.UTC(2026, 2, 29, 1) }, true],
  ['the hour that comes twice, first', hour(2, 3, 'Europe/Berlin'), { at: Date.UTC(2026, 9, 25, 0) }, true],
  ['the hour that comes twice, again', hour(2, 3, 'Europe/Berlin'), { at: Date.UTC(2026, 9, 25, 1) }, true],

  ['Saturday, on Saturdays', { is: 'weekday', days: ['sat'], zone: 'UTC' }, {}, true],
  ['Saturday, at the weekend', { is: 'weekday', days: ['sat', 'sun'], zone: 'UTC' }, {}, true],
  ['Saturday, on weekdays', { is: 'weekday', days: ['mon', 'tue', 'wed', 'thu', 'fri'], zone: 'UTC' }, {}, false],
  ['late on Saturday is Sunday in Tokyo', { is: 'weekday', days: ['sun'], zone: 'Asia/Tokyo' }, { at: hours(8) }, true],
  ['and Saturday in UTC', { is: 'weekday', days: ['sat'], zone: 'UTC' }, { at: hours(8) }, true],
  [
    'early on Saturday is Friday in Honolulu',
    { is: 'weekday', days: ['fri'], zone: 'Pacific/Honolulu' },
    { at: hours(-5) },
    true,
  ],

  ['all of two that hold', all(yes, noImages), {}, true],
  ['all, where the first does not', all(no, yes), {}, false],
  ['all, where the last does not', all(yes, no), {}, false],
  ['all of none', all(), {}, true],
  ['any, where the first holds', any(yes, no), {}, true],
  ['any, where the last holds', any(no, yes), {}, true],
  ['any, where none holds', any(no, no), {}, false],
  ['any of none', any(), {}, false],
  ['not what holds', not(yes), {}, false],
  ['not what does not', not(no), {}, true],
  ['not not what holds', not(not(yes)), {}, true],
  ['not any of two', not(any(no, no)), {}, true],
  ['not all of two', not(all(yes, no)), {}, true],
  ['any of all', any(all(yes, no), all(yes, yes)), {}, true],
  ['all of any', all(any(no, yes), any(no, no)), {}, false],
  ['all with a signal that is not there', all(yes, seen(news)), {}, false],
  ['a signal or a length', any(seen(news), over), bytes(500), true],
  ['a signal and no tools', all(seen(news), noTools), { signals: { [news.name]: true } }, true],
  [
    'a signal and no tools, with tools',
    all(seen(news), noTools),
    { chat: { tools: 1 }, signals: { [news.name]: true } },
    false,
  ],
]

describe.each(rows)('%s', (_name, when, like, holds) => {
  it(`${holds ? 'upgrades' : 'does not upgrade'}`, () => {
    const plain = outcome(routedBy(), like)

    expect(outcome(routedBy(route('r', when, 'svc-pro')), like)).toBe(holds ? 'svc-pro by r' : plain)
  })
})

const always = yes

describe('which route is taken', () => {
  const one = route('one', always, 'svc-pro')
  const two = route('two', always, 'svc-ultra-pro')
  const never = route('never', no, 'svc-ultra-pro')

  it.each<[string, readonly Route[], Like, string]>([
    ['the first that applies', [one, two], {}, 'svc-pro by one'],
    ['in the order of the file', [two, one], {}, 'svc-ultra-pro by two'],
    ['the next after one that does not apply', [never, one], {}, 'svc-pro by one'],
    ['the next after one whose model the plan lacks', [two, one], { plan: 'pro' }, 'svc-pro by one'],
    ['none where the plan lacks them all', [two, one], { plan: 'free' }, 'svc-core'],
    ['none for a model by name', [one, two], { chat: { model: 'svc-core' } }, 'svc-core'],
    ['none for another model by name', [two], { chat: { model: 'svc-pro' } }, 'svc-pro'],
    ['one for an alias by name', [one], { chat: { model: 'svc-auto' } }, 'svc-pro by one'],
    ['one for the other alias', [one], { chat: { model: 'svc-quiet' } }, 'svc-pro by one'],
    ['none where there are none', [], {}, 'svc-core'],
    ['an exception, which is no upgrade', [route('stay', always, 'svc-core'), one], {}, 'svc-core'],
    ['an exception that does not apply', [route('stay', no, 'svc-core'), one], {}, 'svc-pro by one'],
    ['the next after one whose model takes no images', [two, one], { chat: { images: 1 } }, 'svc-pro by one'],
    [
      'the next after one that would think longer than the cap',
      [two, one],
      { chat: { cap: { field: 'max_tokens', tokens: 100 } } },
      'svc-pro by one',
    ],
    [
      'that one without thinking',
      [two, one],
      { chat: { thinking: false, cap: { field: 'max_tokens', tokens: 100 } } },
      'svc-ultra-pro by two',
    ],
    [
      'the next after one whose context is too small',
      [route('tiny', always, 'svc-tiny'), one],
      { chat: { cap: { field: 'max_tokens', tokens: 2000 } } },
      'svc-pro by one',
    ],
    [
      'none, and the refusal of the model itself',
      [],
      { chat: { model: 'svc-ultra-pro', cap: { field: 'max_tokens', tokens: 100 } } },
      'VALIDATION_ERROR',
    ],
    ['none for a plan without the alias’ own model', [], { chat: { model: 'svc-quiet' }, plan: 'free' }, 'plan_limit'],
    [
      'an upgrade where the plan lacks the alias’ own model',
      [one],
      { chat: { model: 'svc-quiet' }, plan: 'pro' },
      'svc-pro by one',
    ],
    ['a refusal of images that neither takes', [two], { chat: { images: 1 } }, 'VALIDATION_ERROR'],
  ])('%s', (_name, routes, like, expected) => {
    expect(outcome(routedBy(...routes), like)).toBe(expected)
  })

  it('none where the default is a model and not an alias', () => {
    expect(outcome({ ...routedBy(one), defaultModel: core }, {})).toBe('svc-core')
  })

  it('prices, holds and pools are those of the model that was chosen', () => {
    const decision = decide(routedBy(two), facts({}, 'team'))

    expect(decision).toMatchObject({
      claims: { spend: { price: { input: 2_000_000, output: 8_000_000 } }, output: { want: 16_000 } },
      pools: [{ name: 'onprem-ultra' }, { name: 'cloud-core' }],
    })
  })

  it('each route that was looked at says why, at its place', () => {
    const [config, given] = [routedBy(never, two, one), facts({}, 'pro')]
    const steps = explain(config, given, decide(config, given))

    expect(steps.filter(({ stage }) => stage === 'route').map(({ text, at }) => [text, at?.line])).toEqual([
      ['never: has no tools', 900],
      ['two: would use svc-ultra-pro, which plan pro does not include', 900],
      ['one: has no tools, so svc-pro', 900],
    ])
  })
})

it('embeddings and images are not routed', () => {
  const { routes } = routedBy(route('r', always, 'svc-pro'))
  const settings = { ...config, routes }
  const decision = decide(settings, {
    ...facts(),
    request: { kind: 'embedding', model: 'svc-embed', textBytes: 4, inputs: 1 },
    caller: facts({}, 'pro').caller,
  })

  expect(decision).toMatchObject({ model: { name: 'svc-embed' } })
})

it('the local time of a zone is that of its clocks', () => {
  expect(localTime(NOON, 'Europe/Berlin')).toEqual({ hour: 11, day: 'sat' })
  expect(localTime(Date.UTC(2026, 10, 21, 0), 'UTC')).toEqual({ hour: 0, day: 'sat' })
})
