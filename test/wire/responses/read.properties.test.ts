import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/wire/json-safety.ts'
import { readChat } from '../../../src/wire/openai/chat.ts'
import { responses } from '../../../src/wire/responses/client.ts'
import { times } from '../../support/times.ts'
import { wholeTexts } from '../../support/whole-texts.ts'

const TERMS = { texts: wholeTexts, passes: true, thinks: () => true, isHosted: (name: string) => name === 'web_search' }

/** Values that readers may meet in any place. JSON can make an object that cannot be turned into text. */
const anything = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  fc.constantFrom<unknown>(
    { toString: 1, valueOf: 1 },
    { length: 5 },
    -1,
    1e300,
    '',
    null,
    [],
    {},
    [[]],
    'x'.repeat(600),
  ),
)

/** Each field mostly as it should be, seldom wrong or absent. */
const fields = (right: Readonly<Record<string, fc.Arbitrary<unknown>>>, wrong: fc.Arbitrary<unknown>) =>
  fc.record(
    Object.fromEntries(
      Object.entries(right).map(([name, value]) => [
        name,
        fc.oneof({ weight: 50, arbitrary: value }, fc.constant(undefined), wrong),
      ]),
    ),
  )

function requests(wrong: fc.Arbitrary<unknown>): fc.Arbitrary<JsonObject> {
  const text = fc.string()
  const id = fc.constantFrom('call_1', 'call_2')
  const name = fc.constantFrom('read', 'a.b', 'a b', 'web_search', 'n'.repeat(70))
  const namespace = fc.constantFrom('agents', null)
  const part = fc.oneof(
    fields({ type: fc.constantFrom('input_text', 'output_text', 'text'), text }, wrong),
    fields(
      {
        type: fc.constant('input_image'),
        image_url: fc.constantFrom('data:image/png;base64,aGk=', 'https://a.b/c.png', 'blob:x'),
        detail: fc.constantFrom('auto', 'original', null),
        file_id: text,
      },
      wrong,
    ),
    fields({ type: fc.constantFrom('input_file', 'refusal'), refusal: text }, wrong),
  )
  const content = fc.oneof(text, fc.array(part, { maxLength: 3 }))
  const item = fc.oneof(
    fields(
      { type: fc.constant('message'), role: fc.constantFrom('user', 'assistant', 'system', 'developer'), content },
      wrong,
    ),
    fields(
      {
        type: fc.constantFrom('function_call', 'custom_tool_call'),
        call_id: id,
        name,
        namespace,
        arguments: fc.constantFrom('', '{}', '{"a":1}'),
        input: text,
      },
      wrong,
    ),
    fields(
      { type: fc.constantFrom('function_call_output', 'custom_tool_call_output'), call_id: id, output: content },
      wrong,
    ),
    fields(
      {
        type: fc.constant('reasoning'),
        content: fc.array(fields({ text }, wrong), { maxLength: 2 }),
        encrypted_content: fc.constantFrom('svc1.QQ', 'gAAA', 'svc1.\u0000'),
        summary: fc.array(fields({ text }, wrong), { maxLength: 2 }),
      },
      wrong,
    ),
    fields({ type: fc.constantFrom('web_search_call', 'compaction', 'item_reference'), id: text }, wrong),
  )
  const tool = fields(
    {
      type: fc.constantFrom('function', 'custom', 'web_search_preview', 'image_generation'),
      name,
      description: text,
      parameters: fc.constantFrom({ type: 'object' }, null),
      strict: fc.boolean(),
      format: fc.constantFrom({ type: 'grammar', syntax: 'lark', definition: 'x' }, { type: 'text' }),
    },
    wrong,
  )
  const tools = fc.array(
    fc.oneof(
      tool,
      fields({ type: fc.constantFrom('hosted', 'mcp'), name: fc.constant('web_search') }, wrong),
      fields({ type: fc.constant('namespace'), name, tools: fc.array(tool, { maxLength: 3 }) }, wrong),
    ),
    { maxLength: 4 },
  )
  const choice = fields(
    { type: fc.constantFrom('function', 'custom', 'hosted', 'web_search', 'mcp'), name, namespace },
    wrong,
  )
  return fields(
    {
      model: text,
      input: fc.oneof(text, fc.array(item, { maxLength: 6 })),
      instructions: text,
      tools,
      tool_choice: fc.oneof(
        fc.constantFrom('auto', 'none', 'required'),
        choice,
        fields(
          { type: fc.constant('allowed_tools'), mode: fc.constantFrom('auto', 'required'), tools: fc.array(choice) },
          wrong,
        ),
      ),
      parallel_tool_calls: fc.boolean(),
      max_output_tokens: fc.integer({ min: 1, max: 1e6 }),
      temperature: fc.double({ min: 0, max: 2 }),
      reasoning: fields({ effort: fc.constantFrom('none', 'high'), summary: fc.constantFrom('auto', null) }, wrong),
      text: fields(
        {
          format: fields(
            { type: fc.constantFrom('text', 'json_object', 'json_schema'), name: text, schema: fc.constant({}) },
            wrong,
          ),
          verbosity: fc.constantFrom('low', 'high'),
        },
        wrong,
      ),
      stream: fc.boolean(),
      include: fc.array(fc.constantFrom('reasoning.encrypted_content', 'message.output_text.logprobs')),
      top_logprobs: fc.integer({ min: 0, max: 20 }),
      metadata: fc.constant({ a: 'b' }),
      user: text,
      prompt: fc.constant(null),
    },
    wrong,
  ) as fc.Arbitrary<JsonObject>
}

/** The body as it comes from the wire: without what JSON cannot say, and refused where the inspection refuses it. */
const sent = (body: JsonObject): JsonObject => JSON.parse(JSON.stringify(body))

describe('any request of Responses', () => {
  it('is a chat that may be sent, or denied for a field of its own', { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(fc.oneof(requests(fc.constant(null)), requests(anything)), generated => {
        const body = sent(generated)
        const result = responses.read(body, TERMS)
        if ('denial' in result) {
          expect(result.denial).toHaveProperty('field')
          expect(String((result.denial as { field?: string }).field).split(/[.[]/)[0]).toSatisfy(
            (field: string) => field in body || field === 'input' || field === 'tools',
          )
          return
        }
        const checked = readChat(Buffer.from(JSON.stringify(result.chat)))
        // Only the chat knows whether two tools share a name, and what a schema refers to.
        if ('denial' in checked) expect(checked.denial).toMatchObject({ field: expect.stringMatching(/^tools/) })
      }),
      { numRuns: times(20_000) },
    )
  })

  it('is denied or read whatever JSON it is', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('input', 'tools', 'text', 'reasoning', 'tool_choice', 'include', 'prompt', 'instructions'),
          anything,
        ),
        generated => {
          const result = responses.read(sent(generated), TERMS)

          if (!('denial' in result)) expect(() => readChat(Buffer.from(JSON.stringify(result.chat)))).not.toThrow()
        },
      ),
      { numRuns: times(20_000) },
    )
  })
})
