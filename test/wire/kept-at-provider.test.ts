import { describe, expect, it } from 'vitest'
import type { ClientDialectName } from '../../src/policy/dialect-members.ts'
import { CLIENT_DIALECTS } from '../../src/wire/client-dialects.ts'
import type { JsonObject } from '../../src/wire/json-safety.ts'
import { wholeTexts } from '../support/whole-texts.ts'

const terms = { texts: wholeTexts, passes: true, thinks: () => false, isHosted: () => false }

const denialOf = (dialect: ClientDialectName, body: JsonObject) => {
  const read = CLIENT_DIALECTS[dialect].client.read({ model: 'm', max_tokens: 9, ...body }, terms)
  return 'denial' in read ? read.denial : undefined
}

const user = (...content: readonly JsonObject[]) => ({ role: 'user', content })
const said = (...content: readonly JsonObject[]) => ({ messages: [user(...content)] })
const file = { type: 'file', file_id: 'file_1' }
const tool = (fields: JsonObject) => ({ input: 'x', tools: [fields] })
const namespace = { type: 'namespace', name: 'n', tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }
const shell = (environment: JsonObject) => tool({ type: 'shell', environment })
const item = (fields: JsonObject) => ({ input: [user(), fields] })

describe('what is kept at a provider is refused, and the field named', () => {
  it.each<[ClientDialectName, string, JsonObject]>([
    ['messages', 'messages[0].content[0].source.file_id', said({ type: 'image', source: file })],
    ['messages', 'messages[0].content[0].source.file_id', said({ type: 'document', source: file })],
    ['messages', 'messages[0].content[0].file_id', said({ type: 'container_upload', file_id: 'file_1' })],
    [
      'messages',
      'messages[0].content[0].content[0].source.file_id',
      said({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'document', source: file }] }),
    ],
    [
      'messages',
      'messages[0].content[0].source.content[0].source.file_id',
      said({ type: 'document', source: { type: 'content', content: [{ type: 'image', source: file }] } }),
    ],
    [
      'messages',
      'messages[0].content[0].content.content.source.file_id',
      said({ type: 'web_fetch_tool_result', content: { type: 'web_fetch_result', content: { source: file } } }),
    ],
    ['messages', 'container', { ...said(), container: 'container_1' }],
    ['messages', 'container.id', { ...said(), container: { id: 'container_1' } }],
    [
      'messages',
      'container.skills[0].skill_id',
      { ...said(), container: { skills: [{ type: 'custom', skill_id: 'skill_1' }] } },
    ],
    ['messages', 'diagnostics.previous_message_id', { ...said(), diagnostics: { previous_message_id: 'msg_1' } }],
    ['messages', 'thread', { ...said(), thread: { type: 'continue', previous_message_id: 'msg_1' } }],
    ['responses', 'input[0].content[0].file_id', { input: [user({ type: 'input_file', file_id: 'file_1' })] }],
    [
      'responses',
      'input[0].content[0].file_id',
      { input: [user({ type: 'input_image', file_id: 'file_1', image_url: 'data:image/png;base64,AA==' })] },
    ],
    [
      'responses',
      'input[1].output[0].file_id',
      item({ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_file', file_id: 'file_1' }] }),
    ],
    [
      'responses',
      'input[1].output.file_id',
      item({ type: 'computer_call_output', output: { type: 'computer_screenshot', file_id: 'file_1' } }),
    ],
    ['responses', 'input[1].container_id', item({ type: 'code_interpreter_call', container_id: 'cntr_1' })],
    ['responses', 'input[1].result', item({ type: 'image_generation_call', id: 'ig_1' })],
    ['responses', 'input[1].tools[0].vector_store_ids', item({ type: 'additional_tools', tools: namespace.tools })],
    ['responses', 'prompt', { prompt: { id: 'pmpt_1' } }],
    ['responses', 'conversation', { input: 'x', conversation: 'conv_1' }],
    ['responses', 'tools[0].tools[0].vector_store_ids', tool(namespace)],
    ['responses', 'tools[0].container', tool({ type: 'code_interpreter', container: 'cntr_1' })],
    [
      'responses',
      'tools[0].container.file_ids',
      tool({ type: 'code_interpreter', container: { file_ids: ['file_1'] } }),
    ],
    ['responses', 'tools[0].environment.container_id', shell({ type: 'container_reference', container_id: 'cntr_1' })],
    [
      'responses',
      'tools[0].environment.skills[0].skill_id',
      shell({ type: 'container_auto', skills: [{ type: 'skill_reference', skill_id: 'skill_1' }] }),
    ],
    [
      'responses',
      'tools[0].input_image_mask.file_id',
      tool({ type: 'image_generation', input_image_mask: { file_id: 'file_1' } }),
    ],
    ['responses', 'tools[0].tunnel_id', tool({ type: 'mcp', server_label: 'x', tunnel_id: 'tunnel_1' })],
  ])('%s: %s', (dialect, field, body) => {
    expect(denialOf(dialect, body)).toMatchObject({ code: 'VALIDATION_ERROR', field })
  })

  it('in words that say what to do', () => {
    expect(denialOf('messages', said({ type: 'document', source: file }))).toMatchObject({
      problem: 'names content stored at the provider, which is not available here; send the content itself',
    })
  })
})

describe('what only has such a name is served', () => {
  const schema = { type: 'object', properties: { file_id: { type: 'string' } }, examples: [{ file_id: 'a' }] }
  it.each<[ClientDialectName, string, JsonObject]>([
    [
      'messages',
      'the schema of a tool',
      { ...said(), tools: [{ name: 'f', input_schema: schema, input_examples: [{ file_id: 'a' }] }] },
    ],
    [
      'messages',
      'the input of a call',
      {
        messages: [
          user({ type: 'text', text: 'x' }),
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: { file_id: 'a' } }] },
          user({ type: 'tool_result', tool_use_id: 't', content: 'y' }),
        ],
      },
    ],
    [
      'messages',
      'a file that a tool of the provider wrote',
      said({
        type: 'bash_code_execution_tool_result',
        content: { content: [{ type: 'bash_code_execution_output', file_id: 'a' }] },
      }),
    ],
    [
      'messages',
      'a skill of Anthropic',
      { ...said(), container: { skills: [{ type: 'anthropic', skill_id: 'pptx' }] } },
    ],
    ['messages', 'metadata', { ...said(), metadata: { file_id: 'a' } }],
    ['responses', 'parameters of a function', tool({ type: 'function', name: 'f', parameters: schema })],
    [
      'responses',
      'the schema of an answer',
      { input: 'x', text: { format: { type: 'json_schema', name: 'n', schema } } },
    ],
    [
      'responses',
      'a source of what was said',
      {
        input: [
          {
            role: 'assistant',
            content: [{ type: 'output_text', text: 'x', annotations: [{ type: 'file_citation', file_id: 'a' }] }],
          },
        ],
      },
    ],
    ['responses', 'a picture with its bytes', item({ type: 'image_generation_call', id: 'ig_1', result: 'AA==' })],
    [
      'responses',
      'an absent file',
      { input: [user({ type: 'input_image', file_id: null, image_url: 'data:image/png;base64,AA==' })] },
    ],
    [
      'responses',
      'a container that is made for the request',
      tool({ type: 'code_interpreter', container: { type: 'auto', file_ids: [] } }),
    ],
  ])('%s: %s', (dialect, _name, body) => {
    expect(denialOf(dialect, body)).toBeUndefined()
  })
})
