import { Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, run, setTracingDisabled } from '@openai/agents'
import OpenAI from 'openai'
import { z } from 'zod'
import { serve } from '../serve.mjs'

setTracingDisabled(true)

const town = z.object({ city: z.string(), population: z.number() })
const models = { chat: OpenAIChatCompletionsModel, responses: OpenAIResponsesModel }

const form = ask => async task => {
  const { way, baseURL, key, model, prompt } = task
  const speaker = new models[way](new OpenAI({ baseURL, apiKey: key, maxRetries: 0 }), model)
  return { value: await ask(more => new Agent({ name: 'Guide', model: speaker, ...more }), prompt) }
}

await serve({
  'gives an object': form(async (agent, prompt) => (await run(agent({ outputType: town }), prompt)).finalOutput),
  'gives an object of a stream': form(async (agent, prompt) => {
    const result = await run(agent({ outputType: town }), prompt, { stream: true })
    await result.completed
    return result.finalOutput
  }),
  'hands over to another agent': form(async (agent, prompt) => {
    const geographer = agent({ name: 'Geographer', handoffDescription: 'Knows towns' })
    const { finalOutput, lastAgent } = await run(agent({ handoffs: [geographer] }), prompt)
    return { finalOutput, by: lastAgent.name }
  }),
  'goes on with its history': form(async (agent, prompt) => {
    const guide = agent()
    const { history } = await run(guide, prompt)
    return (await run(guide, [...history, { role: 'user', content: prompt }])).finalOutput
  }),
  'thinks in its history': form(async (agent, prompt) => {
    const guide = agent({ modelSettings: { store: false, reasoning: { effort: 'low', summary: 'auto' } } })
    const { history } = await run(guide, prompt)
    return (await run(guide, [...history, { role: 'user', content: prompt }])).finalOutput
  }),
})
