import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Matcher } from '../../../src/policy/config.ts'
import { readChat } from '../../../src/wire/openai/chat.ts'
import { signalsIn } from '../../../src/wire/openai/signals.ts'

const mentions = (...phrases: string[]): Matcher => ({ kind: 'mentions', name: 'm', phrases })
const matches = (pattern: string): Matcher => ({ kind: 'matches', name: 'm', pattern })
const found = (matcher: Matcher, text: string, headers = {}): boolean => signalsIn([matcher], text, headers).m === true

describe('mentions', () => {
  it.each<[string, string, boolean]>([
    ['news', 'the news of the day', true],
    ['news', 'news', true],
    ['news', 'News!', true],
    ['news', 'NEWS', true],
    ['News', 'the news', true],
    ['news', 'newspaper', false],
    ['news', 'bad-news', true],
    ['news', 'renews', false],
    ['news', 'news2', false],
    ['news', '2news', false],
    ['news', 'my_news', false],
    ['news', 'newsnews news', true],
    ['news', 'the “news”', true],
    ['news', '(news)', true],
    ['news', 'new s', false],
    ['right now', 'do it right now please', true],
    ['right now', 'do it right\n  now', true],
    ['right now', 'do it right\u00a0now', true],
    ['right  now', 'right now', true],
    ['right now', 'rightnow', false],
    ['right now', 'bright now', false],
    ['right now', 'right nowhere', false],
    ['c++', 'I like C++ a lot', true],
    ['c++', 'I like c++', true],
    ['.net', 'about .NET today', true],
    ['straße', 'die STRASSE', true],
    ['STRASSE', 'die Straße', true],
    ['ΟΔΟΣ', 'η οδός μου: οδος', true],
    ['οδος', 'ΟΔΟΣ', true],
    ['сегодня', 'Что СЕГОДНЯ в мире?', true],
    ['сегодня', 'сегодняшний', false],
    ['café', 'le cafe\u0301 est bon', true],
    ['cafe', 'le cafe\u0301 est bon', false],
    ['今日', '今日の天気は？', true],
    ['今日', '昨日の天気', false],
    ['ニュース', '最新ニュースを教えて', true],
    ['ﾆｭｰｽ', '最新ニュース', true],
    ['วันนี้', 'อากาศวันนี้เป็นอย่างไร', true],
    ['اليوم', 'ما أخبار اليوم؟', true],
    ['आज', 'आज की ख़बर', true],
    ['आज', 'आजकल', false],
    ['뉴스', '오늘 뉴스', true],
    ['ｎｅｗｓ', 'the news', true],
    ['news', 'ｔｈｅ ｎｅｗｓ', true],
    ['a', 'b', false],
    ['x', '', false],
    ['😀', 'hi 😀!', true],
    ['😀', 'hi😀there', true],
    ['𝒳', 'let 𝒳 be', true],
  ])('`%s` in `%s`: %s', (phrase, text, expected) => {
    expect(found(mentions(phrase), text)).toBe(expected)
  })

  it('any of several phrases is enough', () => {
    expect(found(mentions('weather', 'news'), 'the news')).toBe(true)
    expect(found(mentions('weather', 'sports'), 'the news')).toBe(false)
  })

  it('a word is found wherever it stands among other words', () => {
    const words = fc.array(fc.constantFrom('one', 'two', 'three', 'ñandú', '十', ''), { maxLength: 12 })
    fc.assert(
      fc.property(words, words, (before, after) => {
        expect(found(mentions('zebra'), [...before, 'Zebra', ...after].join(' '))).toBe(true)
        expect(found(mentions('zebra'), [...before, ...after].join(' '))).toBe(false)
      }),
    )
  })
})

describe('matches', () => {
  it.each<[string, string, boolean]>([
    ['stack ?trace', 'a stacktrace', true],
    ['stack ?trace', 'a Stacktrace', false],
    ['(?i)stack ?trace', 'a Stacktrace', true],
    ['\\bTypeError\\b', 'TypeError: x', true],
    ['\\bTypeError\\b', 'MyTypeErrors', false],
    ['```', 'here: ```js', true],
    ['^hello', 'hello there', true],
    ['^hello', 'oh hello', false],
    ['\\p{Cyrillic}', 'Привет', true],
  ])('/%s/ in `%s`: %s', (pattern, text, expected) => {
    expect(found(matches(pattern), text)).toBe(expected)
  })
})

describe('header', () => {
  const tier: Matcher = { kind: 'header', name: 'm', header: 'x-tier', values: ['gold', 'silver'] }
  it.each<[object, boolean]>([
    [{ 'x-tier': 'gold' }, true],
    [{ 'x-tier': 'silver' }, true],
    [{ 'x-tier': 'Gold' }, false],
    [{ 'x-tier': 'gold, silver' }, false],
    [{}, false],
    [{ 'x-other': 'gold' }, false],
  ])('%o: %s', (headers, expected) => {
    expect(found(tier, 'text', headers)).toBe(expected)
  })
})

describe('the text that is looked at', () => {
  const textOf = (messages: unknown): string => {
    const read = readChat(Buffer.from(JSON.stringify({ messages })))
    if (!('routedText' in read)) throw new Error(JSON.stringify(read))
    return read.routedText?.() ?? ''
  }
  const user = (content: unknown) => ({ role: 'user', content })

  it('is the last user message', () => {
    const messages = [
      user('first'),
      { role: 'assistant', content: 'answer' },
      user('last'),
      { role: 'assistant', content: 'x' },
    ]
    expect(textOf(messages)).toBe('last')
  })

  it('is the text of its parts', () => {
    expect(
      textOf([
        user([
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
        ]),
      ]),
    ).toBe('one\ntwo\n')
  })

  it('is at most 4,096 characters of it, however long it is', () => {
    expect(textOf([user('x'.repeat(1_000_000))])).toHaveLength(4096)
    expect(textOf([user(Array.from({ length: 50 }, () => ({ type: 'text', text: 'y'.repeat(1000) })))])).toHaveLength(
      4096,
    )
  })

  it('is empty where no user speaks', () => {
    expect(textOf([{ role: 'system', content: 'news' }])).toBe('')
  })
})

it('nothing is looked for where there is nothing to look for', () => {
  expect(signalsIn([], 'text', {})).toEqual({})
})
