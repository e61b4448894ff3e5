import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Backend, startBackend } from '../../support/backend.ts'
import { startTestGateway, type TestGateway } from '../../support/gateway.ts'

let backend: Backend
let test: TestGateway
beforeAll(async () => {
  backend = await startBackend()
  test = await startTestGateway({ onprem: [backend] })
})
afterAll(async () => {
  await test.close()
  await backend.close()
})

const ask = async (method: string, path: string, headers = {}) => {
  const response = await fetch(test.url + path, { method, headers })
  return { status: response.status, body: (await response.json()) as { error: string | { message: string } } }
}

const messageIn = ({ error }: { error: string | { message: string } }) =>
  typeof error === 'string' ? error : error.message

describe('a path that is not served is a 404 that says what to call', () => {
  it.each([
    ['a doubled slash', 'POST', '/v1//chat/completions', '/v1/chat/completions has an extra slash'],
    ['a doubled slash in front', 'POST', '//v1/embeddings', '/v1/embeddings has an extra slash'],
    ['a slash at its end', 'POST', '/v1/chat/completions/', '/v1/chat/completions has an extra slash'],
    ['a doubled slash and no /v1', 'POST', '//chat/completions', 'The path lacks /v1'],
    ['a slash at the end of nothing', 'GET', '/v1/nothing/', 'remove the extra slash'],
    ['compact of Responses', 'POST', '/v1/responses/compact', 'clients shorten their own histories'],
    ['conversations', 'POST', '/v1/conversations', 'is not served here'],
    [
      "Gemini's whole answers",
      'POST',
      '/v1beta/models/gemini-3-pro:generateContent',
      "generateContent belongs to Gemini's own API",
    ],
    ["Gemini's streams", 'POST', '/v1beta/models/gemini-3-pro:streamGenerateContent', "Gemini's own API"],
    ["Gemini's paths below /v1", 'POST', '/v1/models/gemini-3-pro:generateContent', "Gemini's own API"],
    ["Gemini's list of models", 'GET', '/v1beta/models', "Gemini's own API"],
    [
      "the base URL of Gemini's OpenAI endpoint",
      'POST',
      '/v1beta/openai/chat/completions',
      'ends in /v1, and not in /v1beta/openai',
    ],
    ['a deployment of Azure', 'POST', '/openai/deployments/gpt-4/chat/completions', 'name the model in the body'],
    ["Ollama's own API", 'POST', '/api/chat', "Ollama's own API is not served here"],
  ])('%s', async (_name, method, path, says) => {
    const { status, body } = await ask(method, path)

    expect([status, messageIn(body)]).toEqual([404, expect.stringContaining(says)])
  })
})

it('a path with a slash too many is answered in the form of the dialect that it means', async () => {
  const { body } = await ask('POST', '/v1//messages')

  expect(body).toMatchObject({ type: 'error', error: { message: expect.stringContaining('an extra slash') } })
})

it('what is served is refused by its method alone', async () => {
  expect((await ask('DELETE', '/v1/models')).status).toBe(405)
  expect((await ask('POST', '/v1/models/svc-core')).status).toBe(405)
})
