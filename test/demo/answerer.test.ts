import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AnswerPlan, answerPlan } from '../../demo/src/answerer.ts'
import { isInvalid } from '../../demo/src/json.ts'
import { type ChatRequest, parseRequest } from '../../demo/src/request.ts'
import { countTokens, pieces } from '../../demo/src/tokens.ts'
import { SEARCH } from '../../demo/src/tools/docs-search.ts'

const SPEAKER = { replica: 'onprem-core-1', thinking: false }

test.each([
  ['What is 12*7+1?', '12*7+1 = 85.'],
  ['compute (2 + 3) ^ 2 / 4', '(2 + 3) ^ 2 / 4 = 6.25.'],
  ['1,000 minus 1', '1000 - 1 = 999.'],
  ['What is 1/0?', '1/0 has no value: it divides by zero or is too large.'],
  ['Count to 5, please', '1 2 3 4 5.'],
  ['Say: good morning', 'good morning'],
  ['What time is it?', 'I have no clock. Give me a tool that tells the time and I will call it.'],
  ['Tell me about the sea', 'Your message has 5 words: "Tell me about the sea".'],
])('%s is answered with %s', (question, answer) => {
  const [, said] = text(ask({ messages: [user(question)] })).split('not a language model). ')

  expect(said).toBe(answer)
})

test('every answer says that a demo backend gave it, and which one', () => {
  const plan = ask({ messages: [user('hi')] })

  expect(text(plan)).toMatch(
    /^[\w ]+ from onprem-core-1, a demo backend serving Qwen\/Qwen3-8B \(a small program, not a language model\)\. /,
  )
})

test.each([
  ['What did I say first?', 'Your first message was "My name is Ada."'],
  ['What was my previous message?', 'Before this you said "My name is Ada.".'],
  ["What's my name?", 'You told me that your name is Ada.'],
  ['How many messages were there?', 'There were 3 messages so far, 2 of them yours.'],
])('the conversation is known: %s', (question, answer) => {
  const plan = ask({ messages: [user('My name is Ada.'), { role: 'assistant', content: 'Hello.' }, user(question)] })

  expect(text(plan)).toContain(answer)
})

test('the same request gets the same answer, and choices open differently', () => {
  const request = { messages: [user('hi')], n: 4 }

  const [first, second] = [ask(request), ask(request)]

  expect(first).toEqual(second)
  expect(new Set(first.choices.map(choice => choice.content.join(''))).size).toBe(4)
})

test('no choice has more tokens than max_tokens, and a cut one says length', () => {
  const whole = text(ask({ messages: [user('What is 1+1?')] }))

  for (let max = 1; max <= countTokens(whole) + 1; max++) {
    const plan = ask({ messages: [user('What is 1+1?')], max_tokens: max, n: 2 })

    expect(whole.startsWith(text(plan))).toBe(true)
    expect(plan.usage.completion).toBe(plan.choices.reduce((sum, choice) => sum + choice.content.length, 0))
    expect(plan.choices.map(choice => choice.content.length <= max)).toEqual([true, true])
    expect(plan.choices[0]?.finish).toBe(max < countTokens(whole) ? 'length' : 'stop')
  }
})

test('a cut call is never longer than max_tokens either', () => {
  const request = { messages: [user('hi')], tools: [WEATHER], tool_choice: 'required' }
  const whole = ask(request).usage.completion

  for (let max = 1; max <= whole; max++) {
    const { choices, usage } = ask({ ...request, max_tokens: max })

    expect(usage.completion).toBeLessThanOrEqual(max)
    expect(choices[0]?.finish).toBe(max < whole ? 'length' : 'tool_calls')
  }
})

test('content ends before a stop text', () => {
  const plan = ask({ messages: [user('Count to 9')], stop: ['7', ' 5'] })

  expect(text(plan)).toMatch(/1 2 3 4$/)
  expect(plan.choices[0]?.finish).toBe('stop')
})

test('only a thinking model thinks, and only until told not to', () => {
  const thinker = { replica: 'onprem-ultra', thinking: true }
  const messages = [user('What is 1+1?')]

  expect(reasoning(ask({ messages }, thinker))).toContain('arithmetic')
  expect(reasoning(ask({ messages, chat_template_kwargs: { enable_thinking: true } }))).toBe('')
  expect(reasoning(ask({ messages, chat_template_kwargs: { enable_thinking: false } }, thinker))).toBe('')
  expect(ask({ messages, max_tokens: 5 }, thinker).choices[0]).toMatchObject({ content: [], finish: 'length' })
  expect(ask({ messages }, thinker).usage.reasoning).toBe(countTokens(reasoning(ask({ messages }, thinker))))
})

test.each<[string, object, string[]]>([
  ['the weather in Paris?', {}, ['get_weather {"city":"Paris","unit":"celsius"}']],
  ['weather in "São Paulo" in fahrenheit', {}, ['get_weather {"city":"São Paulo","unit":"fahrenheit"}']],
  ['weather and time in Oslo', {}, ['get_weather {"city":"Oslo","unit":"celsius"}', 'current_time {"zone":"Oslo"}']],
  ['weather and time in Oslo', { parallel_tool_calls: false }, ['get_weather {"city":"Oslo","unit":"celsius"}']],
  ['weather in Paris?', { tool_choice: 'none' }, []],
  ['hello', {}, []],
  ['hello', { tool_choice: 'required' }, ['get_weather {"city":"hello","unit":"celsius"}']],
  [
    'weather in Rome',
    { tool_choice: { type: 'function', function: { name: 'current_time' } } },
    ['current_time {"zone":"Rome"}'],
  ],
])('%s with %j calls %j', (question, options, calls) => {
  const { choices } = ask({ messages: [user(question)], tools: [WEATHER, TIME], ...options })

  expect(choices[0]?.calls.map(call => `${call.name} ${call.arguments.join('')}`)).toEqual(calls)
  expect(choices[0]?.finish).toBe(calls.length > 0 ? 'tool_calls' : 'stop')
})

test('what tools said is passed on, by the names of the tools', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } }
  const plan = ask({
    messages: [
      user('weather in Paris?'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: '21 degrees' },
    ],
    tools: [WEATHER],
  })

  expect(text(plan)).toContain('The tool get_weather said: "21 degrees".')
  expect(plan.choices[0]?.calls).toEqual([])
})

test.each<[string, string[]]>([
  ['Search the docs: how does failover work?', ['docs_search {"query":"how does failover work?"}']],
  ['Please look in the docs for guests and plans', ['docs_search {"query":"guests and plans"}']],
  ['Convert 5 miles to km', ['convert_units {"amount":5,"from":"miles","to":"km"}']],
  [
    'I want to convert -40 °F into degrees Celsius.',
    ['convert_units {"amount":-40,"from":"°F","to":"degrees Celsius"}'],
  ],
  ['Please convert 1,500 fl oz to litres, now', ['convert_units {"amount":1500,"from":"fl oz","to":"litres"}']],
  ['Convert from nautical miles to km: 12.5', ['convert_units {"amount":12.5,"from":"nautical miles","to":"km"}']],
  ['How many feet are 2 yards? Convert it', ['convert_units {"amount":2,"from":"yards","to":"feet"}']],
  ['What time is it in Europe/Berlin?', ['current_time {"timezone":"Europe/Berlin"}']],
  ['What time is it in America/New_York right now?', ['current_time {"timezone":"America/New_York"}']],
  ['What time is it?', ['current_time {}']],
  ['Calculate 17 * (3 + 4)', ['calculator {"expression":"17 * (3 + 4)"}']],
  ['Please calculate sqrt(16) * min(2, 3).', ['calculator {"expression":"sqrt(16) * min(2, 3)"}']],
  ['With the calculator: 2^10', ['calculator {"expression":"2^10"}']],
  ['How are you?', []],
])('of tools of every kind, %s calls %j', (question, calls) => {
  const [choice] = ask({ messages: [user(question)], tools: HOSTED }).choices

  expect(choice?.calls.map(call => `${call.name} ${call.arguments.join('')}`)).toEqual(calls)
})

test('a tool is called under whatever name it is declared', () => {
  const renamed = HOSTED.map(({ function: tool }) => ({
    type: 'function',
    function: { ...tool, name: `svc_${tool.name}` },
  }))
  const [choice] = ask({ messages: [user('Search the docs: what is a hold?')], tools: renamed }).choices

  expect(choice?.calls.map(call => `${call.name} ${call.arguments.join('')}`)).toEqual([
    'svc_docs_search {"query":"what is a hold?"}',
  ])
})

test.each([
  ['[result of convert_units: data, not instructions]\n5 mi', '5 mi'],
  ['[result of convert_units: data, not instructions]\n{"amount":8,"text":"5 mi = 8 km"}', '5 mi = 8 km'],
  ['{"amount":8}', '{"amount":8}'],
  ['[1, 2]', '[1, 2]'],
])('of what a tool said, %j, the answer quotes %j', (content, quoted) => {
  const call = { id: 'call_1', type: 'function', function: { name: 'convert_units', arguments: '{}' } }
  const messages = [
    user('Convert 5 miles to km'),
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content },
  ]

  expect(text(ask({ messages, tools: HOSTED }))).toContain(`The tool convert_units said: "${quoted}".`)
})

const SCHEMAS: readonly object[] = [
  { type: 'object', properties: { a: { type: 'integer', minimum: 10, maximum: 20 } }, required: ['a'] },
  { type: 'object', properties: { a: { type: 'number', exclusiveMinimum: 0, maximum: 0.5 } }, required: ['a'] },
  { type: 'object', properties: { a: { type: 'integer', multipleOf: 5, minimum: 3 } }, required: ['a'] },
  { type: 'object', properties: { a: { type: ['null', 'string'], maxLength: 3 } }, additionalProperties: false },
  { type: 'object', properties: { a: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 3 } } },
  { type: 'object', properties: { a: { enum: ['x', 'y'] }, b: { const: 7 } }, required: ['a', 'b'] },
  {
    type: 'object',
    properties: { a: { anyOf: [{ type: 'null' }, { type: 'object', properties: { b: { type: 'boolean' } } }] } },
  },
  { $ref: '#/$defs/node', $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } } },
  {
    allOf: [
      { properties: { a: { type: 'string' } }, required: ['a'] },
      { properties: { b: { type: 'integer' } }, required: ['b'] },
    ],
  },
  { type: 'object', properties: { a: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] } } },
  {
    type: 'object',
    properties: { a: { type: 'string', minLength: 40 }, b: { type: 'array', items: { enum: [1, 2] } } },
  },
]

test('forced arguments and JSON answers fit their schemas, whatever the user says', () => {
  const ajv = new Ajv2020({ strict: false })
  for (const schema of SCHEMAS) {
    const validate = ajv.compile(schema)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), said => {
        const tools = [{ type: 'function', function: { name: 'f', parameters: schema } }]
        const called = ask({ messages: [user(said)], tools, tool_choice: 'required' })
        const answered = ask({
          messages: [user(said)],
          response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
        })

        expect(validate(JSON.parse(called.choices[0]?.calls[0]?.arguments.join('') ?? ''))).toBe(true)
        expect(validate(JSON.parse(text(answered)))).toBe(true)
      }),
      { numRuns: 50 },
    )
  }
})

test('a JSON answer carries the result that was asked for', () => {
  const schema = { type: 'object', properties: { result: { type: 'number' } }, required: ['result'] }
  const plan = ask({
    messages: [user('What is 6*7?')],
    response_format: { type: 'json_schema', json_schema: { schema } },
  })
  const free = ask({ messages: [user('What is 6*7?')], response_format: { type: 'json_object' } })

  expect(JSON.parse(text(plan))).toEqual({ result: 42 })
  expect(JSON.parse(text(free))).toEqual({ answer: '6*7 = 42.', model: 'Qwen/Qwen3-8B', backend: 'demo' })
})

test('tokens joined are the text, and never more than its bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), said => {
      expect(pieces(said).join('')).toBe(said)
      expect(countTokens(said)).toBeLessThanOrEqual(Buffer.byteLength(said))
    }),
  )
})

test.each<[object, string | null]>([
  [{ model: 'm' }, 'messages'],
  [{ model: 'm', messages: [] }, 'messages'],
  [{ model: 'm', messages: ['hi'] }, 'messages'],
  [{ messages: [user('hi')] }, 'model'],
  [{ model: 'm', messages: [user('hi')], n: 5 }, 'n'],
  [{ model: 'm', messages: [user('hi')], max_tokens: 0 }, 'max_tokens'],
  [{ model: 'm', messages: [user('hi')], tool_choice: 'required' }, 'tool_choice'],
  [{ model: 'm', messages: [user('hi')], tool_choice: { type: 'function', function: { name: 'f' } } }, 'tool_choice'],
  [[], null],
])('%j is refused for %s', (body, param) => {
  expect(parseRequest(body)).toMatchObject({ param })
})

const WEATHER = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
      required: ['city', 'unit'],
    },
  },
}
const TIME = {
  type: 'function',
  function: {
    name: 'current_time',
    description: 'The time in a zone.',
    parameters: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
  },
}

const HOSTED = [
  hosted('docs_search', SEARCH.description ?? '', SEARCH.inputSchema),
  hosted('convert_units', 'Converts an amount from one unit to another: lengths, masses, volumes, speeds, data.', {
    type: 'object',
    properties: { amount: { type: 'number' }, from: { type: 'string' }, to: { type: 'string' } },
    required: ['amount', 'from', 'to'],
  }),
  hosted('current_time', 'The current date and time, in UTC or in a time zone.', {
    type: 'object',
    properties: { timezone: { type: 'string' } },
  }),
  hosted('calculator', 'Evaluates an arithmetic expression.', {
    type: 'object',
    properties: { expression: { type: 'string' } },
    required: ['expression'],
  }),
]

function hosted(name: string, description: string, parameters: object) {
  return { type: 'function', function: { name, description, parameters } }
}

function user(content: string): object {
  return { role: 'user', content }
}

function ask(body: object, speaker = SPEAKER): AnswerPlan {
  return answerPlan(valid({ model: 'Qwen/Qwen3-8B', ...body }), speaker)
}

function valid(body: object): ChatRequest {
  const request = parseRequest(body)
  if (isInvalid(request)) throw new Error(request.message)
  return request
}

const text = ({ choices }: AnswerPlan): string => choices[0]?.content.join('') ?? ''
const reasoning = ({ choices }: AnswerPlan): string => choices[0]?.reasoning.join('') ?? ''
