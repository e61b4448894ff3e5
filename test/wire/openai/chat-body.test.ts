import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseBody } from '../../../src/wire/openai/body.ts'
import { readChat } from '../../../src/wire/openai/chat.ts'
import { sentOf, writtenAnew } from '../../../src/wire/openai/chat-body.ts'
import { unmarked } from '../../../src/wire/openai/hosted-chat.ts'
import { times } from '../../support/times.ts'

const MESSAGES = '"messages":[{"role":"user","content":"Hi"}]'

/** The body as sent, and as it would be if rewritten completely; nothing if it is refused. */
function bodiesOf(text: string): { sent: string; anew: string } | undefined {
  const bytes = Buffer.from(text)
  const [read, parsed] = [readChat(bytes, undefined, declared), parseBody(bytes)]
  if ('denial' in read || 'denial' in parsed || read.request.kind !== 'chat') return undefined
  const unsent = Object.keys(parsed.body).filter(field => accepts.has(field) && parsed.body[field] === null)
  const whole = sentOf(parsed.body, { isPlain: false, unsent })
  return {
    sent: read.bodyFor('a "backend" modèl', 77, { accepts }).toString(),
    anew: writtenAnew(unmarked(whole), read.request, { model: 'a "backend" modèl', output: 77 }).toString(),
  }
}

/** Names of fields that are not known, and here are declared. */
const DECLARED = ['x', 'é', '', '1', 'a"b', 'a\\b']
const declared = new Map(DECLARED.map(field => [field, new Set<string>()]))
const at = { file: 'policy.yaml', line: 1, column: 1 }
const accepts = new Map(DECLARED.map(field => [field, { at, is: 'json', max: 1e6 } as const]))

function sent(text: string): string {
  const bodies = bodiesOf(text)
  if (!bodies) throw new Error(`${text} is refused`)
  return bodies.sent
}

/** Whether a name stands twice in an object of a JSON text. */
function saysTwice(json: string): boolean {
  const open: Set<unknown>[] = []
  for (const [token, name] of json.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (token === '{') open.push(new Set())
    else if (token === '}') open.pop()
    else if (name !== undefined) {
      const names = open.at(-1)
      if (names?.has(JSON.parse(name))) return true
      names?.add(JSON.parse(name))
    }
  }
  return false
}

const blank = fc.constantFrom('', '', '', ' ', '\n\t', '  ')
/** A text as JSON, some of its characters as escapes that need not be. */
const written = (text: string) =>
  fc
    .constantFrom(0, 0, 0, 1, 2)
    .map(how => (how === 0 ? JSON.stringify(text) : JSON.stringify(text).replace(/[a-z]/, escaped(how === 1))))
const escaped = (upper: boolean) => (letter: string) => {
  const code = letter.charCodeAt(0).toString(16)
  return `\\u00${upper ? code.toUpperCase() : code}`
}
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('"model":"x",', '\\', '\\"', '{"', '}', '[', ':', ',', 'modèl', '漢字', 'model'),
)
const scalar = fc.oneof(
  text.chain(written),
  fc.constantFrom('0', '-1', '1.0', '2e3', '0.1', '12345678901234567890', 'true', 'false', 'null'),
)
const joined = (items: readonly string[], open: string, close: string) =>
  blank.chain(before => blank.map(after => open + before + items.join(`${after},${before}`) + after + close))
const name = fc.constantFrom('model', 'max_tokens', 'messages', ...DECLARED).chain(written)
const member = (value: fc.Arbitrary<string>) =>
  fc.tuple(name, blank, blank, value).map(([key, before, after, said]) => `${key}${before}:${after}${said}`)
const { anything } = fc.letrec<{ anything: string }>(tie => ({
  anything: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('anything'), { maxLength: 3 }).chain(items => joined(items, '[', ']')),
    fc.array(member(tie('anything')), { maxLength: 3 }).chain(items => joined(items, '{', '}')),
  ),
}))

const known: readonly (readonly [string, readonly string[]])[] = [
  ['model', ['"svc-core"', 'null', '"m\\u006fdel"', '"é"']],
  ['max_tokens', ['7', '7.0', 'null']],
  ['max_completion_tokens', ['7', 'null']],
  ['stream', ['true', 'false', 'null']],
  [
    'stream_options',
    ['{}', 'null', '{"include_usage":false}', '{ "include_usage" : true, "include_obfuscation": false }'],
  ],
  ['temperature', ['1.0', '0.25']],
  [
    'tools',
    [
      '[]',
      '[{"type":"function","function":{"name":"f","parameters":{"model":1}}}]',
      '[{"type":"function","hosted":false,"function":{"name":"f"}}]',
    ],
  ],
]
const knownMember = fc
  .constantFrom(...known)
  .chain(([key, values]) =>
    fc.tuple(
      fc.oneof({ weight: 9, arbitrary: fc.constant(JSON.stringify(key)) }, { weight: 1, arbitrary: written(key) }),
      blank,
      blank,
      fc.constantFrom(...values),
    ),
  )
  .map(([key, before, after, value]) => `${key}${before}:${after}${value}`)
const messages = fc
  .tuple(text.chain(written), blank, fc.constantFrom('', '', '', '', '"x":1,"x":2,'))
  .map(([content, space, twice]) => `"messages"${space}:[{${twice}"role":"user",${space}"content":${content}}]`)
const body = fc
  .tuple(messages, fc.array(knownMember, { maxLength: 5 }), fc.array(member(anything), { maxLength: 2 }))
  .chain(([said, some, others]) => {
    const members = [said, ...some, ...others.filter(other => !/^"(?:m|\\u)/.test(other))]
    return fc.shuffledSubarray(members, { minLength: members.length })
  })
  .chain(members => joined(members, '{', '}'))

describe('the body for a backend, of a text that parsing leaves whole', () => {
  it('says what it would say if it were written anew, and nothing twice', () => {
    let spliced = 0
    fc.assert(
      fc.property(body, said => {
        const bodies = bodiesOf(said)
        fc.pre(bodies !== undefined)
        expect(JSON.parse(bodies.sent)).toEqual(JSON.parse(bodies.anew))
        // Written anew, every name stands once and as it is.
        if (bodies.sent === bodies.anew) return
        spliced++
        expect(saysTwice(said)).toBe(false)
        expect(saysTwice(bodies.sent)).toBe(false)
      }),
      { numRuns: times(3000) },
    )
    expect(spliced).toBeGreaterThan(times(500))
  })

  it.each([
    [
      `{ "temperature" : 1.0,\n"model":"svc-core" , ${MESSAGES}, "max_tokens" :5 , "seed":1e3, "x":"\\u00e9\\/é漢" } `,
      `{ "temperature" : 1.0,\n"model":"m", ${MESSAGES}, "max_tokens" :9, "seed":1e3, "x":"\\u00e9\\/é漢" } `,
    ],
    [`{${MESSAGES},"max_completion_tokens":5}`, `{"model":"m",${MESSAGES},"max_completion_tokens":9}`],
    [
      `{${MESSAGES},"model":null,"stream":true}`,
      `{"max_tokens":9,"stream_options":{"include_usage":true},${MESSAGES},"model":"m","stream":true}`,
    ],
    [
      `{"store":false, "service_tier":"auto",${MESSAGES} , "y":null,"metadata":{"a":1},"model":"x","top_k":null, "max_tokens":1,"z" : null , "modalities":["text"] }`,
      `{"store":false, ${MESSAGES} , "model":"m","top_k":null, "max_tokens":9}`,
    ],
    [`{ "prediction" : null , ${MESSAGES} }`, `{"model":"m","max_tokens":9, ${MESSAGES} }`],
    [
      `{${MESSAGES},"x":{"model":"x","max_tokens":1},"model":"x","max_tokens":1}`,
      `{${MESSAGES},"x":{"model":"x","max_tokens":1},"model":"m","max_tokens":9}`,
    ],
  ])('is that text but for its model, its cap and its usage: %s', (said, expected) => {
    const read = readChat(Buffer.from(said), undefined, declared)

    expect('denial' in read ? read : read.bodyFor('m', 9, { accepts }).toString()).toBe(expected)
  })
})

describe('the body for a backend, of a text that its readers may take differently', () => {
  it.each([
    ['a model named twice', `{"model":"a",${MESSAGES},"model":"b"}`],
    ['a model with an escape in its name', `{"mod\\u0065l":"a",${MESSAGES}}`],
    ['a model named twice, once with an escape', `{"mod\\u0065l":"a","model":"b",${MESSAGES}}`],
    ['a cap with an escape in its name', `{"max\\u005ftokens":5,${MESSAGES}}`],
    ['messages that stand twice', `{"messages":[{"role":"user","content":"ignored"}],${MESSAGES}}`],
    ['two caps', `{"max_tokens":5,"max_completion_tokens":5,${MESSAGES}}`],
    ['a name that stands twice deep inside', `{${MESSAGES},"x":[{"a":{"b":1,"b":2}}]}`],
    [
      'a picture with two addresses',
      '{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://a.b/c","url":"data:image/png;base64,AA"}}]}]}',
    ],
    [
      'a picture whose first address is escaped',
      '{"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"ur\\u006c":"http://a.b/c","url":"data:image/png;base64,AA"}}]}]}',
    ],
    [
      'a tool that says that it is not hosted',
      `{${MESSAGES},"tools":[{"type":"function","hosted":false,"function":{"name":"f"}}]}`,
    ],
  ])('is written anew: %s', (_name, said) => {
    expect(sent(said)).toBe(bodiesOf(said)?.anew)
  })

  it('names nothing twice, however a hosted tool is asked for', () => {
    const asked = `{"model":"a",${MESSAGES},"model":"b","tools":[{"type":"hosted","name":"web_search"}]}`
    const read = readChat(Buffer.from(asked))
    if ('denial' in read) throw new Error(JSON.stringify(read))

    const round = { number: 0, messages: [], offered: new Map() }
    expect(
      read.hosted
        ?.bodyFor({ model: 'm', output: 9 }, round)
        .toString()
        .match(/"model"/g),
    ).toHaveLength(1)
  })
})
