import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run, setTracingDisabled, tool } from '@openai/agents'
import OpenAI from 'openai'
import { descriptions, schemas, serve } from './serve.mjs'

setTracingDisabled(true)

const loop = Model => async (task, tools) => {
  const { baseURL, key, model, stream, prompt } = task
  const agent = new Agent({
    name: 'Gauges',
    model: new Model(new OpenAI({ baseURL, apiKey: key }), model),
    tools: Object.entries(schemas).map(([name, parameters]) =>
      tool({ name, description: descriptions[name], parameters, strict: true, execute: tools[name] }),
    ),
  })
  const result = await run(agent, prompt, { stream })
  if (stream) await result.completed
  const { inputTokens, outputTokens } = result.state.usage
  return { text: result.finalOutput, usage: { input: inputTokens, output: outputTokens } }
}

await serve({ chat: loop(OpenAIChatCompletionsModel), responses: loop(OpenAIResponsesModel) })
