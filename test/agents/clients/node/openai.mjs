import { descriptions, schemas, serve } from './serve.mjs'

/** In the version that the caller names: `openai-7`. */
const { default: OpenAI } = await import(process.argv[2] ?? 'openai')

const clientOf = ({ baseURL, key }) => new OpenAI({ baseURL, apiKey: key })

const functions = Object.entries(schemas).map(([name, parameters]) => ({
  name,
  description: descriptions[name],
  parameters,
}))

/** The loop as the documentation writes it. */
async function chat(task, tools) {
  const { model, stream, prompt } = task
  const client = clientOf(task)
  const usage = { input: 0, output: 0 }
  const messages = [{ role: 'user', content: prompt }]
  for (;;) {
    const request = { model, messages, tools: functions.map(of => ({ type: 'function', function: of })) }
    const answer = stream
      ? await client.chat.completions
          .stream({ ...request, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await client.chat.completions.create(request)
    usage.input += answer.usage.prompt_tokens
    usage.output += answer.usage.completion_tokens
    const [{ message }] = answer.choices
    messages.push(message)
    if (!message.tool_calls?.length) return { text: message.content, usage }
    for (const { id, function: called } of message.tool_calls)
      messages.push({ role: 'tool', tool_call_id: id, content: tools[called.name](JSON.parse(called.arguments)) })
  }
}

/** The loop of the library's helper. */
async function runner(task, tools) {
  const { model, stream, prompt } = task
  const result = clientOf(task).chat.completions.runTools({
    model,
    stream,
    messages: [{ role: 'user', content: prompt }],
    tools: functions.map(of => ({
      type: 'function',
      function: { ...of, parse: JSON.parse, function: tools[of.name] },
    })),
  })
  return { text: await result.finalContent() }
}

async function responses(task, tools) {
  const { model, stream, prompt } = task
  const client = clientOf(task)
  const usage = { input: 0, output: 0 }
  const input = [{ role: 'user', content: prompt }]
  for (;;) {
    const request = {
      model,
      input,
      store: false,
      include: ['reasoning.encrypted_content'],
      tools: functions.map(of => ({ type: 'function', ...of, strict: true })),
    }
    const answer = stream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request)
    usage.input += answer.usage.input_tokens
    usage.output += answer.usage.output_tokens
    input.push(...answer.output)
    const calls = answer.output.filter(({ type }) => type === 'function_call')
    if (calls.length === 0) return { text: answer.output_text, usage }
    for (const { call_id, name, arguments: args } of calls)
      input.push({ type: 'function_call_output', call_id, output: tools[name](JSON.parse(args)) })
  }
}

await serve({ chat, runner, responses })
