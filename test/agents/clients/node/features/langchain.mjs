import { ChatAnthropic } from '@langchain/anthropic'
import { ChatOpenAI } from '@langchain/openai'
import { z } from 'zod'
import { refused, serve } from '../serve.mjs'

const PNG = process.argv[2]
const town = z.object({ city: z.string(), population: z.number() })

const models = {
  chat: ({ baseURL, key, model }) => new ChatOpenAI({ model, apiKey: key, maxRetries: 0, configuration: { baseURL } }),
  responses: ({ baseURL, key, model }) =>
    new ChatOpenAI({
      model,
      apiKey: key,
      maxRetries: 0,
      configuration: { baseURL },
      useResponsesApi: true,
      zdrEnabled: true,
    }),
  anthropic: ({ baseURL, key, model }) =>
    new ChatAnthropic({
      model,
      apiKey: key,
      maxRetries: 0,
      anthropicApiUrl: baseURL.replace(/\/v1$/, ''),
      maxTokens: 2000,
    }),
}

const form = ask => async task => ({ value: await ask(models[task.way](task), task.prompt, task) })

await serve({
  'gives an object': form(async (model, prompt) => await model.withStructuredOutput(town).invoke(prompt)),
  'shows an image': form(async (model, prompt) => {
    const content = [
      { type: 'text', text: prompt },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
    ]
    return (await model.invoke([{ role: 'user', content }])).text
  }),
  'shows what is wrong': form((_, prompt, task) =>
    refused(models[task.way]({ ...task, model: 'no-such-model' }).invoke(prompt)),
  ),
})
